using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;
using Pipeline.Scripting;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// Logs a task's failures: the first few one by one, then a summary by error every ten seconds. Thread-safe.
/// </summary>
/// <remarks>
/// The message of a script's error is not logged, only its type and place. After ten seconds without a failure it logs
/// one by one again.
/// </remarks>
internal sealed class FailureLog(ILogger logger, EtlTaskConfiguration task, TimeProvider time)
{
    private const int MaxOneByOne = 5;
    private const int MaxKinds = 20;
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<(FailureOutcome Outcome, string Kind), Counted> _more = [];
    private int _oneByOne;
    private long _last;
    private ITimer? _timer;

    /// <summary>A document, or one of its messages, failed.</summary>
    /// <param name="outcome">What became of it.</param>
    /// <param name="document">The document's id.</param>
    /// <param name="failure">The class of the error.</param>
    /// <param name="reason">Why.</param>
    /// <param name="error">The exception of the transform; <see langword="null"/> if something else failed.</param>
    public void Add(
        FailureOutcome outcome,
        string document,
        FailureClass failure,
        string reason,
        Exception? error = null
    )
    {
        var place =
            error is ScriptRuntimeException script && task.Locate(script) is var (file, line, column)
                ? string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileName(file)}:{line}:{column}")
                : null;
        if (error is ScriptRuntimeException)
            reason = Describe(outcome, error);
        lock (_lock)
        {
            if (_oneByOne > 0 && time.GetElapsedTime(_last) >= Interval && _more.Count == 0)
                _oneByOne = 0;
            _last = time.GetTimestamp();
            if (_oneByOne < MaxOneByOne)
            {
                _oneByOne++;
                Write(outcome, document, place is null ? reason : $"{place}: {reason}");
                return;
            }

            Count(outcome, document, $"{FailureClassText.Of(failure)}{Describe(error, place)}", reason);
            _timer ??= time.CreateTimer(_ => Flush(), null, Interval, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Logs the summary of the failures counted so far.</summary>
    public void Flush()
    {
        lock (_lock)
        {
            _timer?.Dispose();
            _timer = null;
            foreach (var outcome in _more.GroupBy(m => m.Key.Outcome))
            {
                var kinds = string.Join(
                    "; ",
                    outcome
                        .OrderByDescending(m => m.Value.Count)
                        .Select(m =>
                            string.Create(
                                CultureInfo.InvariantCulture,
                                $"{m.Value.Count:N0} × {m.Key.Kind} (such as {m.Value.Document}: {m.Value.Reason})"
                            )
                        )
                );
                Write(outcome.Key, outcome.Sum(m => m.Value.Count), kinds);
            }

            _more.Clear();
        }
    }

    // A script can put any text of a document into its message, and a log is read by more people than a database.
    private static string Describe(FailureOutcome outcome, Exception error) =>
        $"the script failed with {(error.InnerException ?? error).GetType().Name}{(outcome == FailureOutcome.LeftOut ? "" : "; the dead letter has the message")}";

    private static string Describe(Exception? error, string? place) =>
        error is null
            ? ""
            : $" {(error.InnerException ?? error).GetType().Name}{(place is null ? "" : " at " + place)}";

    private void Count(FailureOutcome outcome, string document, string kind, string reason)
    {
        if (_more.Count >= MaxKinds && !_more.ContainsKey((outcome, kind)))
            kind = "other errors";
        if (_more.TryGetValue((outcome, kind), out var counted))
            counted.Count++;
        else
            _more[(outcome, kind)] = new Counted(document, reason) { Count = 1 };
    }

    private void Write(FailureOutcome outcome, string document, string reason)
    {
        if (outcome == FailureOutcome.Parked)
            logger.DeadLettered(task.Name, document, reason);
        else if (outcome == FailureOutcome.FailedAgain)
            logger.FailedAgain(task.Name, document, reason);
        else
            logger.LeftOut(task.Name, document, reason);
    }

    private void Write(FailureOutcome outcome, long count, string kinds)
    {
        if (outcome == FailureOutcome.Parked)
            logger.MoreDeadLettered(task.Name, count, kinds);
        else if (outcome == FailureOutcome.FailedAgain)
            logger.MoreFailedAgain(task.Name, count, kinds);
        else
            logger.MoreLeftOut(task.Name, count, kinds);
    }

    private sealed record Counted(string Document, string Reason)
    {
        public long Count { get; set; }
    }
}
