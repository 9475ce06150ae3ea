namespace Pipeline.Runner;

/// <summary>The results of a run, as <c>pipeline run --once</c> prints them.</summary>
/// <param name="Database">The database's name.</param>
/// <param name="Position">The position of the database that every task had to reach.</param>
/// <param name="Documents">The live documents in the database, without dead letters.</param>
/// <param name="Imported">Documents imported at the start of this run.</param>
/// <param name="Elapsed">The time from opening the database to the end.</param>
/// <param name="Tasks">Each task, in the configuration's order.</param>
public sealed record RunSummary(
    string Database,
    long Position,
    long Documents,
    long Imported,
    TimeSpan Elapsed,
    IReadOnlyList<TaskReport> Tasks
)
{
    /// <summary>
    /// Dead letters in the database at the end, including those of earlier runs and of subscriptions.
    /// </summary>
    public long DeadLetters { get; init; }

    /// <summary>
    /// The database's position at the end; the run's own dead letters come after <see cref="Position"/>.
    /// </summary>
    public long LastPosition { get; init; }

    /// <summary>Whether the run ended because of its time limit.</summary>
    public bool TimedOut { get; init; }

    /// <summary>
    /// Whether every task reached the position, no document was set aside, no dead letter failed again, and no
    /// unfinished work is left.
    /// </summary>
    public bool Succeeded =>
        !TimedOut
        && Tasks.All(t =>
            !t.IsFailed && !t.IsUnfinished && t.DeadLetters == 0 && t.FailedAgain == 0 && t.Position >= Position
        );

    /// <summary>The tasks as aligned columns, a line about the database and a line for each problem.</summary>
    public string ToText() => SummaryText.Of(this);
}
