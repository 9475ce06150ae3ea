using System.Globalization;
using Pipeline.Backups.Running;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Backups;

/// <summary>
/// A progress line on a terminal with a bar, the rate and the remaining time, redrawn in place; nothing without a
/// terminal.
/// </summary>
internal sealed class BackupLine(WorkerConsole console, TimeProvider time) : IProgress<BackupProgress>
{
    private readonly ProgressLine _line = new(console, time);

    /// <inheritdoc/>
    public void Report(BackupProgress value) => _line.Draw(elapsed => Draw(value, elapsed));

    /// <summary>Removes the line.</summary>
    public void Clear() => _line.Clear();

    internal static string Draw(BackupProgress value, TimeSpan elapsed)
    {
        var share = value.Total > 0 ? Math.Min(1, (double)value.Done / value.Total) : 0;
        var rate = elapsed > TimeSpan.Zero ? value.Done / elapsed.TotalSeconds : 0;
        var left =
            rate > 0 && value.Total > value.Done
                ? TimeSpan.FromSeconds((value.Total - value.Done) / rate)
                : TimeSpan.Zero;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{value.Stage} {ProgressLine.Bar(share)} {100 * share:0} %, {value.Done / 1048576.0:N0} of {value.Total / 1048576.0:N0} MiB, {rate / 1048576:N0} MiB/s, {left:h\\:mm\\:ss} left"
        );
    }
}
