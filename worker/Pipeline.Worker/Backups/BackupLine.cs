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
    private const int Width = 24;
    private static readonly TimeSpan Redraw = TimeSpan.FromMilliseconds(100);
    private readonly Lock _gate = new();
    private readonly long _started = time.GetTimestamp();
    private long _drawn;
    private int _width;

    /// <inheritdoc/>
    public void Report(BackupProgress value)
    {
        lock (_gate)
        {
            if (!console.IsErrorTerminal || (_drawn != 0 && time.GetElapsedTime(_drawn) < Redraw))
                return;
            _drawn = time.GetTimestamp();
            var line = Draw(value, time.GetElapsedTime(_started));
            console.Error.Write("\r" + line.PadRight(_width));
            _width = line.Length;
        }
    }

    /// <summary>Removes the line.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            if (_width > 0)
                console.Error.Write("\r" + new string(' ', _width) + "\r");
            _width = 0;
        }
    }

    internal static string Draw(BackupProgress value, TimeSpan elapsed)
    {
        var share = value.Total > 0 ? Math.Min(1, (double)value.Done / value.Total) : 0;
        var rate = elapsed > TimeSpan.Zero ? value.Done / elapsed.TotalSeconds : 0;
        var left =
            rate > 0 && value.Total > value.Done
                ? TimeSpan.FromSeconds((value.Total - value.Done) / rate)
                : TimeSpan.Zero;
        var full = (int)(share * Width);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{value.Stage} [{new string('#', full)}{new string('.', Width - full)}] {100 * share:0} %, {value.Done / 1048576.0:N0} of {value.Total / 1048576.0:N0} MiB, {rate / 1048576:N0} MiB/s, {left:h\\:mm\\:ss} left"
        );
    }
}
