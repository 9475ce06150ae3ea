using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Runner.Logging;

namespace Pipeline.Hosting.Logging;

/// <summary>An event of the log.</summary>
/// <param name="Number">Counts up from 1.</param>
/// <param name="Time">When.</param>
/// <param name="Level"><c>info</c>, <c>warn</c>, <c>error</c> or <c>fatal</c>.</param>
/// <param name="Category">The part of the program.</param>
/// <param name="EventId">The id of the kind of event; 0 for none.</param>
/// <param name="Message">The message.</param>
/// <param name="Error">Type and message of the exception; null for none.</param>
internal sealed record LogLine(
    long Number,
    DateTimeOffset Time,
    string Level,
    string Category,
    int EventId,
    string Message,
    string? Error
);

/// <summary>The last events of the log, for <c>/logs</c>. Thread-safe.</summary>
/// <param name="capacity">How many events it keeps.</param>
internal sealed class LogRing(int capacity)
{
    private const int LongestText = 4_096;
    private readonly Lock _lock = new();
    private readonly Queue<(LogLevel Level, LogLine Line)> _lines = new();
    private long _last;

    /// <summary>The number of the last event.</summary>
    public long Last
    {
        get
        {
            lock (_lock)
                return _last;
        }
    }

    /// <summary>Adds an event; the oldest one goes.</summary>
    public void Add(DateTimeOffset time, LogLevel level, string category, int id, string message, Exception? error)
    {
        var what = error is null ? null : Cut($"{error.GetType().Name}: {error.Message}");
        lock (_lock)
        {
            _lines.Enqueue(
                (level, new LogLine(++_last, time, LineLoggerProvider.Word(level), category, id, Cut(message), what))
            );
            if (_lines.Count > capacity)
                _lines.Dequeue();
        }
    }

    /// <summary>The last events that meet the conditions, the oldest first.</summary>
    /// <param name="after">Only events with higher numbers.</param>
    /// <param name="minimum">The lowest level.</param>
    /// <param name="text">Words that the category, the message or the error contain, in any case.</param>
    /// <param name="most">How many at most.</param>
    public IReadOnlyList<LogLine> Read(long after, LogLevel minimum, string text, int most)
    {
        var words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        lock (_lock)
        {
            return
            [
                .. _lines
                    .Where(l => l.Line.Number > after && l.Level >= minimum && words.All(w => Has(l.Line, w)))
                    .Select(l => l.Line)
                    .TakeLast(most),
            ];
        }
    }

    private static bool Has(LogLine line, string word) =>
        line.Category.Contains(word, StringComparison.OrdinalIgnoreCase)
        || line.Message.Contains(word, StringComparison.OrdinalIgnoreCase)
        || line.Error?.Contains(word, StringComparison.OrdinalIgnoreCase) == true
        || (line.EventId > 0 && line.EventId.ToString(CultureInfo.InvariantCulture) == word);

    private static string Cut(string text) => text.Length <= LongestText ? text : text[..LongestText] + "…";
}
