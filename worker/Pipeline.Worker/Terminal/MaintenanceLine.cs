using System.Globalization;
using Pipeline.Database.Maintenance;

namespace Pipeline.Worker.Terminal;

/// <summary>One line of progress on a terminal, written over and over; nothing where no person watches.</summary>
internal sealed class MaintenanceLine(WorkerConsole console, TimeProvider time, string what) : IProgress<MaintenanceProgress>
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
        var line = value.Total > 0
            ? string.Create(CultureInfo.InvariantCulture, $"{what}: {value.Stage} {value.Done:N0} of {value.Total:N0} ({100.0 * value.Done / value.Total:0} %)")
            : string.Create(CultureInfo.InvariantCulture, $"{what}: {value.Stage} {value.Done:N0}");
        console.Error.Write("\r" + line.PadRight(_width));
        _width = line.Length;
    }

    /// <summary>Takes the line away.</summary>
    public void Clear()
    {
        if (_width > 0)
            console.Error.Write("\r" + new string(' ', _width) + "\r");
        _width = 0;
    }
}
