using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// Folds warnings that repeat: the first is written, those after it are counted, and the count is written after a
/// minute, then after ever longer times up to an hour. Warnings that differ in numbers only count as the same.
/// Thread-safe.
/// </summary>
/// <param name="write">Writes a line.</param>
/// <param name="time">The clock.</param>
internal sealed class RepeatedLines(Action<LogLevel, string> write, TimeProvider time)
{
    private const int MaxKinds = 500;
    private static readonly TimeSpan First = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan Longest = TimeSpan.FromHours(1);
    private readonly Lock _gate = new();
    private readonly Dictionary<string, (long Written, int Folded, TimeSpan Wait)> _known = new(StringComparer.Ordinal);

    /// <summary>Writes a line, or folds it.</summary>
    public void Write(LogLevel level, string line)
    {
        if (level != LogLevel.Warning)
        {
            write(level, line);
            return;
        }

        var key = string.Concat(line.Where(c => !char.IsAsciiDigit(c)));
        lock (_gate)
        {
            var isKnown = _known.TryGetValue(key, out var known);
            var elapsed = time.GetElapsedTime(known.Written);
            if (isKnown && elapsed < known.Wait)
            {
                _known[key] = known with { Folded = known.Folded + 1 };
                return;
            }

            var isNew = !isKnown || elapsed >= 2 * known.Wait;
            if (isNew && _known.Count >= MaxKinds)
                _known.Clear();
            if (known.Folded > 0)
                line += More(known.Folded);
            var wait = isNew ? First : TimeSpan.FromTicks(Math.Min(2 * known.Wait.Ticks, Longest.Ticks));
            _known[key] = (time.GetTimestamp(), 0, wait);
        }

        write(level, line);
    }

    private static string More(int folded) =>
        string.Create(CultureInfo.InvariantCulture, $" ({folded:N0} more like it since the last line)");
}
