using System.Globalization;
using Pipeline.Documents.Maintenance;

namespace Pipeline.Worker.Terminal;

/// <summary>A progress line on a terminal, redrawn in place; nothing without a terminal.</summary>
internal sealed class MaintenanceLine(WorkerConsole console, TimeProvider time, string what)
    : IProgress<MaintenanceProgress>
{
    private static readonly TimeSpan Redraw = TimeSpan.FromMilliseconds(100);
    private long _drawn;
    private int _width;

    /// <inheritdoc/>
    public void Report(MaintenanceProgress value)
    {
        if (!console.IsErrorTerminal || (_drawn != 0 && time.GetElapsedTime(_drawn) < Redraw))
            return;
        _drawn = time.GetTimestamp();
        var line =
            value.Total > 0
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"{what}: {value.Stage} {value.Done:N0} of {value.Total:N0} ({100.0 * value.Done / value.Total:0} %)"
                )
                : string.Create(CultureInfo.InvariantCulture, $"{what}: {value.Stage} {value.Done:N0}");
        console.Error.Write("\r" + line.PadRight(_width));
        _width = line.Length;
    }

    /// <summary>Removes the line.</summary>
    public void Clear()
    {
        if (_width > 0)
            console.Error.Write("\r" + new string(' ', _width) + "\r");
        _width = 0;
    }
}
