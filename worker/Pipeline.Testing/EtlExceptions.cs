using System.Globalization;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Testing;

/// <summary>An ETL task has dead letters, or has skipped changes, and the test did not expect that.</summary>
public sealed class EtlFailuresException : Exception
{
    private const int MaxShown = 3;

    /// <summary>Creates the error.</summary>
    /// <param name="task">The task.</param>
    /// <param name="deadLetters">Its dead letters.</param>
    /// <param name="skipped">How many changes and messages it skipped.</param>
    public EtlFailuresException(string task, IReadOnlyList<DeadLetterView> deadLetters, long skipped)
        : base(Describe(task, deadLetters, skipped)) => (Task, DeadLetters, Skipped) = (task, deadLetters, skipped);

    /// <summary>The task.</summary>
    public string Task { get; }

    /// <summary>Its dead letters, oldest change first.</summary>
    public IReadOnlyList<DeadLetterView> DeadLetters { get; }

    /// <summary>How many changes and messages it skipped (<c>onError: skip</c>).</summary>
    public long Skipped { get; }

    private static string Describe(string task, IReadOnlyList<DeadLetterView> letters, long skipped)
    {
        var words = new List<string>();
        if (letters.Count > 0)
        {
            words.Add(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{letters.Count:N0} dead {(letters.Count == 1 ? "letter" : "letters")}"
                )
            );
        }

        if (skipped > 0)
            words.Add(string.Create(CultureInfo.InvariantCulture, $"{skipped:N0} left out (onError: skip)"));
        var shown = letters
            .Take(MaxShown)
            .Select(l => $"\n  {l.DocumentId}: {(l.Place is null ? "" : l.Place + ": ")}{l.Error}");
        return $"The ETL task '{task}' has failures: {string.Join(", ", words)}. Where they are expected, call {nameof(EtlProbe.DrainedWithFailuresAsync)}.{string.Concat(shown)}{(letters.Count > MaxShown ? "\n  …" : "")}";
    }
}

/// <summary>An error has stopped an ETL task, so the awaited result will not come.</summary>
public sealed class EtlStoppedException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="task">The task.</param>
    /// <param name="problem">Its error.</param>
    public EtlStoppedException(string task, string? problem)
        : base($"The ETL task '{task}' has stopped: {problem ?? "it was told to"}") => Task = task;

    /// <summary>The task.</summary>
    public string Task { get; }
}
