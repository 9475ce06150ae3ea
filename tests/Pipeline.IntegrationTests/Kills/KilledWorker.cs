using System.Diagnostics;
using System.Text;

namespace Pipeline.IntegrationTests.Kills;

/// <summary>The <c>pipeline</c> program in a separate process, to be killed.</summary>
internal static class KilledWorker
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(3);

    /// <summary>
    /// Starts <c>pipeline run</c>, waits until its tasks are about to start, and kills it a moment later, as <c>kill
    /// -9</c> does.
    /// </summary>
    /// <returns>Whether it was still at work when it was killed.</returns>
    public static Task<bool> RunAndKillAsync(string configuration, TimeSpan moment) =>
        RunAndKillAsync(configuration, () => Task.Delay(moment));

    /// <summary>The same, killed once this is over, which begins when the tasks are about to start.</summary>
    public static async Task<bool> RunAndKillAsync(string configuration, Func<Task> until)
    {
        using var process = Start(["run", "--config", configuration]);
        var log = new StringBuilder();
        using var timeout = new CancellationTokenSource(Timeout);
        while (true)
        {
            var line =
                await process.StandardError.ReadLineAsync(timeout.Token)
                ?? throw new InvalidOperationException($"pipeline run ended by itself with {process.ExitCode}: {log}");
            log.AppendLine(line);
            if (line.Contains("/health/", StringComparison.Ordinal))
                break;
        }

        var waiting = until();
        await Task.WhenAny(process.WaitForExitAsync(timeout.Token), waiting);
        var atWork = !process.HasExited;
        process.Kill();
        await process.WaitForExitAsync(timeout.Token);
        await waiting;
        return atWork;
    }

    /// <summary>Runs the program to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using var process = Start(arguments);
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        return (process.ExitCode, await output, error);
    }

    private static Process Start(string[] arguments) =>
        Process.Start(
            new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "pipeline.dll"), .. arguments])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            }
        )!;
}
