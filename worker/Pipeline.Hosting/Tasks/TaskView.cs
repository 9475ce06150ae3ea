using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Replays;
using Pipeline.Etl.Runner;

namespace Pipeline.Hosting.Tasks;

/// <summary>
/// An ETL task, as <c>/etl/tasks</c> shows it and <c>pipeline top</c> draws it. Counts start with the worker, except
/// <c>DeadLetters</c>: those that the database holds.
/// </summary>
internal sealed record TaskView(
    string Name,
    string Connection,
    string Kind,
    string State,
    long Position,
    long Lag,
    long Waiting,
    double LagSeconds,
    long Documents,
    long Filtered,
    long Messages,
    long Bytes,
    double DocumentsPerSecond,
    double MessagesPerSecond,
    long DeadLetters,
    long Retries,
    IReadOnlyDictionary<string, long> Errors,
    EtlTaskTimes Times,
    string? Problem,
    DateTimeOffset? NextTry,
    ReplayStatus? Replay
)
{
    /// <summary>Whether it lagged too far and sends all documents again, or waits for its target to do so.</summary>
    public bool IsResyncing { get; init; }

    /// <summary>The collections that it reads.</summary>
    public IReadOnlyList<string> From { get; init; } = [];

    /// <summary>Batches that the target confirmed.</summary>
    public long Batches { get; init; }

    /// <summary>Waits after errors, by error class.</summary>
    public IReadOnlyDictionary<string, long> RetriesByClass { get; init; } = new Dictionary<string, long>();

    /// <summary>Why it waits for a person's decision; null if it does not.</summary>
    public TaskConflict? Conflict { get; init; }

    /// <summary>The id of the database's lineage; empty for the first.</summary>
    public string Lineage { get; init; } = "";

    /// <summary>Its backlog and the data retained for it.</summary>
    public ConsumerStatus? Consumer { get; init; }

    /// <summary>Creates the view of a task's current state.</summary>
    public static TaskView Of(EtlTaskStatus status, ConsumerStatus? consumer, long deadLetters) =>
        new(
            status.Name,
            status.Connection,
            status.Kind,
            status.State.ToString().ToLowerInvariant(),
            status.Position,
            status.Lag,
            consumer?.Pending.Changes ?? status.Lag,
            consumer?.AgeSeconds ?? 0,
            status.DocumentsRead,
            status.DocumentsFiltered,
            status.MessagesSent,
            status.BytesSent,
            status.DocumentsPerSecond,
            status.MessagesPerSecond,
            deadLetters,
            status.Retries,
            ByWord(status.Errors),
            status.Times,
            status.Conflict?.Reason
                ?? (status.State is EtlTaskState.Retrying or EtlTaskState.Failed ? status.LastError?.Message : null),
            status.NextTry,
            status.Replay
        )
        {
            Conflict = status.Conflict,
            Lineage = status.Lineage,
            IsResyncing = status.IsResyncing,
            Consumer = consumer,
            Batches = status.Batches,
            RetriesByClass = ByWord(status.RetriesByClass),
        };

    /// <summary>Creates the view of a task that its configuration disables.</summary>
    /// <param name="task">The task.</param>
    /// <param name="kind">The kind of its connection.</param>
    /// <param name="progress">Where it stopped, and what waits for it.</param>
    /// <param name="last">The database's last position.</param>
    /// <param name="deadLetters">Its dead letters that the database holds.</param>
    public static TaskView OfDisabled(
        EtlTaskConfiguration task,
        string kind,
        ConsumerStatus? progress,
        long last,
        long deadLetters
    ) =>
        Of(
            new EtlTaskStatus
            {
                Name = task.Name,
                Connection = task.To,
                Kind = kind,
                State = EtlTaskState.Stopped,
                Position = progress?.Position ?? 0,
                Lag = last - (progress?.Position ?? 0),
                DocumentsRead = 0,
                DocumentsFiltered = 0,
                MessagesSent = 0,
                BytesSent = 0,
                DeadLetters = 0,
                Errors = new Dictionary<FailureClass, long>(),
                Times = new EtlTaskTimes(0, 0, 0),
                Batches = 0,
                Retries = 0,
                RetriesByClass = new Dictionary<FailureClass, long>(),
                DocumentsPerSecond = 0,
                MessagesPerSecond = 0,
            },
            progress,
            deadLetters
        ) with
        {
            State = "disabled",
            From = task.From,
        };

    private static Dictionary<string, long> ByWord(IReadOnlyDictionary<FailureClass, long> counts) =>
        counts.ToDictionary(c => c.Key.ToString().ToLowerInvariant(), c => c.Value);
}
