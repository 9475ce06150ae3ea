namespace Pipeline.Worker.Terminal;

/// <summary>A line on a terminal that is redrawn in place; nothing without a terminal. Thread-safe.</summary>
internal sealed class ProgressLine(WorkerConsole console, TimeProvider time)
{
    private const int BarWidth = 24;
    private static readonly TimeSpan Redraw = TimeSpan.FromMilliseconds(100);
    private readonly Lock _gate = new();
    private readonly long _started = time.GetTimestamp();
    private long _drawn;
    private int _width;

    /// <summary>Draws what the function gives for the time since the start, at most ten times a second.</summary>
    public void Draw(Func<TimeSpan, string> text)
    {
        lock (_gate)
        {
            if (!console.IsErrorTerminal || (_drawn != 0 && time.GetElapsedTime(_drawn) < Redraw))
                return;
            _drawn = time.GetTimestamp();
            var line = text(time.GetElapsedTime(_started));
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

    /// <summary>A bar for a share from 0 to 1.</summary>
    public static string Bar(double share)
    {
        var full = (int)(share * BarWidth);
        return $"[{new string('#', full)}{new string('.', BarWidth - full)}]";
    }
}
