using System.Globalization;
using Pipeline.Backups.Running;
using Pipeline.Hosting.Backups;
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
        var rate = elapsed > TimeSpan.Zero ? value.Done / elapsed.TotalSeconds : 0;
        var (done, speed) = (BackupText.Size(value.Done), BackupText.Size((long)rate));
        if (value.Total == 0)
            return $"{value.Stage}: {done}, {speed}/s";
        var share = Math.Min(1, (double)value.Done / value.Total);
        var rest = Math.Max(0, value.Total - value.Done);
        var left =
            rate > 0
                ? string.Create(CultureInfo.InvariantCulture, $", {TimeSpan.FromSeconds(rest / rate):h\\:mm\\:ss} left")
                : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{value.Stage} {ProgressLine.Bar(share)} {100 * share:0} %, {done} of {BackupText.Size(value.Total)}, {speed}/s{left}{Ahead(value)}"
        );
    }

    /// <summary>What is read and not sent: with a staging folder that is all of it at first.</summary>
    private static string Ahead(BackupProgress value) =>
        value.Read > value.Done ? $", {BackupText.Size(value.Read)} read" : "";
}
