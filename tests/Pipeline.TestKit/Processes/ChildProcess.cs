using System.Diagnostics;
using System.Globalization;

namespace Pipeline.TestKit.Processes;

/// <summary>Processes that run a test's own program, to be killed while they work.</summary>
public static class ChildProcess
{
    private static readonly TimeSpan LongestSilence = TimeSpan.FromMinutes(2);

    /// <summary>How often tests are to kill: the variable PIPELINE_KILLS. Without it each test has its own number.</summary>
    public static int? Kills { get; } =
        int.TryParse(Environment.GetEnvironmentVariable("PIPELINE_KILLS"), CultureInfo.InvariantCulture, out var kills)
            ? kills
            : null;

    /// <summary>Starts the program that a type belongs to. Its output is read by the caller.</summary>
    /// <param name="program">A type of the program.</param>
    /// <param name="arguments">The arguments.</param>
    /// <param name="readsErrors">Whether the caller reads its errors, too; they go to the test's own otherwise.</param>
    public static Process Start(Type program, IEnumerable<string> arguments, bool readsErrors = false)
    {
        ArgumentNullException.ThrowIfNull(program);
        var host = Environment.ProcessPath is { } own && Path.GetFileName(own) == "dotnet" ? own : "dotnet";
        return Process.Start(
            new ProcessStartInfo(host, [program.Assembly.Location, .. arguments])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = readsErrors,
            }
        )!;
    }

    /// <summary>Reads some lines of a process's output, kills it, and reads the rest.</summary>
    /// <param name="child">The process.</param>
    /// <param name="after">The number of lines after which it is killed.</param>
    /// <param name="note">Is given each line. The kill may have cut the last one.</param>
    /// <param name="beforeKill">Runs while the process still works.</param>
    /// <param name="mayEnd">Whether the process may end by itself before.</param>
    /// <returns>How many lines there were.</returns>
    /// <exception cref="InvalidOperationException">The process ended by itself.</exception>
    public static async Task<int> ReadAndKillAsync(
        Process child,
        int after,
        Action<string> note,
        Action? beforeKill = null,
        bool mayEnd = false
    )
    {
        ArgumentNullException.ThrowIfNull(child);
        ArgumentNullException.ThrowIfNull(note);
        var lines = 0;
        try
        {
            for (; lines < after; lines++)
            {
                var line = await child.StandardOutput.ReadLineAsync().WaitAsync(LongestSilence).ConfigureAwait(false);
                if (line is null && mayEnd)
                    break;
                note(line ?? throw new InvalidOperationException($"the child ended by itself after {lines} lines"));
            }

            beforeKill?.Invoke();
        }
        finally
        {
            child.Kill();
        }

        for (; await child.StandardOutput.ReadLineAsync().ConfigureAwait(false) is { } rest; lines++)
            note(rest);
        await child.WaitForExitAsync().ConfigureAwait(false);
        return lines;
    }
}
