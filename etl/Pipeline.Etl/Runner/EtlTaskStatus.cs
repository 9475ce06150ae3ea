using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Replays;

namespace Pipeline.Etl.Runner;

/// <summary>The status of a task at one moment. Counts are since the start of the host.</summary>
public sealed record EtlTaskStatus
{
    /// <summary>The task's name.</summary>
    public required string Name { get; init; }

    /// <summary>The connection it sends to.</summary>
    public required string Connection { get; init; }

    /// <summary>The connection's kind, for example <c>kafka</c>.</summary>
    public required string Kind { get; init; }

    /// <summary>What it is doing.</summary>
    public required EtlTaskState State { get; init; }

    /// <summary>Everything up to this position is confirmed by the target, or did not match.</summary>
    public required long Position { get; init; }

    /// <summary>The database's last position less <see cref="Position"/>.</summary>
    public required long Lag { get; init; }

    /// <summary>Changes given to the transform.</summary>
    public required long DocumentsRead { get; init; }

    /// <summary>Changes for which the transform sent nothing.</summary>
    public required long DocumentsFiltered { get; init; }

    /// <summary>Messages that the target confirmed.</summary>
    public required long MessagesSent { get; init; }

    /// <summary>Bytes of the bodies of these messages.</summary>
    public required long BytesSent { get; init; }

    /// <summary>Dead letters written.</summary>
    public required long DeadLetters { get; init; }

    /// <summary>
    /// Dead letters that were retried and are gone: they were sent, or a newer version of the document was.
    /// </summary>
    public long LettersDone { get; init; }

    /// <summary>Dead letters that were retried and failed again.</summary>
    public long LettersFailed { get; init; }

    /// <summary>Whether dead letters wait for a retry, or are being retried.</summary>
    public bool IsRetryingLetters { get; init; }

    /// <summary>Whether it was paused and reads nothing until it is resumed.</summary>
    public bool IsPaused { get; init; }

    /// <summary>Changes and messages that failed and were skipped (<c>onError: skip</c>).</summary>
    public long Skipped { get; init; }

    /// <summary>
    /// Permanent failures by class: changes and messages that were parked, held or skipped, and dead letters that
    /// failed again.
    /// </summary>
    public required IReadOnlyDictionary<FailureClass, long> Errors { get; init; }

    /// <summary>The replay in progress.</summary>
    public ReplayStatus? Replay { get; init; }

    /// <summary>
    /// Whether it exceeded its maximum lag and resends all documents (<see cref="Replay"/>), or waits for its target to
    /// do so.
    /// </summary>
    public bool IsResyncing { get; init; }

    /// <summary>How it has spent its time.</summary>
    public required EtlTaskTimes Times { get; init; }

    /// <summary>Batches that the target confirmed.</summary>
    public required long Batches { get; init; }

    /// <summary>Waits after errors, of the target or of the transform.</summary>
    public required long Retries { get; init; }

    /// <summary>These waits, by class of the error.</summary>
    public required IReadOnlyDictionary<FailureClass, long> RetriesByClass { get; init; }

    /// <summary>The last error; stays after recovery. <see langword="null"/> if there was none.</summary>
    public EtlTaskError? LastError { get; init; }

    /// <summary>Why the task is <see cref="EtlTaskState.Blocked"/>; otherwise <see langword="null"/>.</summary>
    public TaskConflict? Conflict { get; init; }

    /// <summary>The id of the database's lineage, empty for the first.</summary>
    public string Lineage { get; init; } = "";

    /// <summary>
    /// When the task tries again, while it is <see cref="EtlTaskState.Retrying"/> or <see cref="EtlTaskState.Failed"/>.
    /// </summary>
    public DateTimeOffset? NextTry { get; init; }

    /// <summary>Changes a second, an average over about ten seconds.</summary>
    public required double DocumentsPerSecond { get; init; }

    /// <summary>Confirmed messages a second, an average over about ten seconds.</summary>
    public required double MessagesPerSecond { get; init; }
}

/// <summary>What a task is doing.</summary>
public enum EtlTaskState
{
    /// <summary>It is not started, or is connecting for the first time.</summary>
    Starting,

    /// <summary>It is sending, or has changes to send.</summary>
    Running,

    /// <summary>It has sent everything and waits for changes.</summary>
    Idle,

    /// <summary>The target cannot accept messages now; the task waits and retries.</summary>
    Retrying,

    /// <summary>An error occurred that a retry is unlikely to fix; the task retries at long intervals.</summary>
    Failed,

    /// <summary>It was stopped.</summary>
    Stopped,

    /// <summary>It waits for a person to decide where it resumes: <c>pipeline etl resume</c>.</summary>
    Blocked,
}

/// <summary>The last error of a task.</summary>
/// <param name="Message">What happened, without secrets.</param>
/// <param name="Time">When.</param>
/// <param name="IsTransient">Whether a retry can help.</param>
/// <param name="Attempts">The number of attempts by then.</param>
public sealed record EtlTaskError(string Message, DateTimeOffset Time, bool IsTransient, int Attempts)
{
    /// <summary>Whether the target caused it: it could not be reached, or refused a whole batch.</summary>
    public bool IsOfTarget { get; init; }
}

/// <summary>
/// How a task has spent its time since the host's start, in seconds. The three activities run in parallel.
/// </summary>
/// <param name="Extract">Reading changes.</param>
/// <param name="Transform">Running the transform.</param>
/// <param name="Send">Waiting for the target's confirmations, including waits after its errors.</param>
public sealed record EtlTaskTimes(double Extract, double Transform, double Send);
