using Pipeline.Documents;
using Pipeline.TestKit.Processes;
using Xunit;

namespace Pipeline.CrashTests.Scripts;

/// <summary>Runs this program as a child that dies.</summary>
internal static class DeadlyChild
{
    /// <summary>
    /// The exit codes of a process that the runtime ended: on Windows those of a fast failure and of a full stack.
    /// </summary>
    public static int[] Aborted { get; } =
        OperatingSystem.IsWindows() ? [unchecked((int)0xC0000602), unchecked((int)0xC00000FD)] : [134];

    /// <summary>Runs it to its end.</summary>
    /// <param name="arguments">The program's arguments.</param>
    /// <param name="killAt">The line of output at which it is killed, if any.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string[] arguments, string? killAt = null)
    {
        using var child = ChildProcess.Start(typeof(DeadlyChild), arguments, readsErrors: true);
        var errors = child.StandardError.ReadToEndAsync();
        using var stop = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        try
        {
            while (await child.StandardOutput.ReadLineAsync(stop.Token) is { } line)
            {
                if (line == killAt)
                    child.Kill();
            }

            await child.WaitForExitAsync(stop.Token);
        }
        catch (OperationCanceledException)
        {
            child.Kill();
            Assert.Fail("the child did not end");
        }

        await errors;
        return child.ExitCode;
    }

    /// <summary>
    /// Runs a child until it ends otherwise than by its death, which must take at least the ends that block a script,
    /// and few more.
    /// </summary>
    /// <param name="run">Runs it and returns its exit code.</param>
    public static async Task AssertEndsSoonAsync(Func<Task<int>> run)
    {
        var ends = 0;
        for (var code = await run(); Aborted.Contains(code); code = await run())
            Assert.True(++ends < 2 * RunMarker.MaxEnds, $"ended {ends} times");
        Assert.True(ends >= RunMarker.MaxEnds, $"ended {ends} times");
    }
}
