using Microsoft.Extensions.Logging;

namespace Pipeline.Etl;

/// <summary>
/// Every log message of this project; event ids 3000–3099 belong to the runner, 3100–3199 to the connectors.
/// </summary>
internal static partial class EtlLog
{
    [LoggerMessage(3000, LogLevel.Information, "ETL task {Task} starts at position {Position} to {Connection}")]
    public static partial void Started(this ILogger logger, string task, long position, string connection);

    [LoggerMessage(3001, LogLevel.Information, "ETL task {Task} stopped at position {Position}")]
    public static partial void Stopped(this ILogger logger, string task, long position);

    [LoggerMessage(
        3002,
        LogLevel.Warning,
        "ETL task {Task}: {Connection} is unavailable (attempt {Attempt}), next attempt in {Delay}: {Reason}"
    )]
    public static partial void Retrying(
        this ILogger logger,
        string task,
        string connection,
        int attempt,
        TimeSpan delay,
        string reason
    );

    [LoggerMessage(
        3003,
        LogLevel.Error,
        "ETL task {Task}: {Connection} refuses the batch (attempt {Attempt}), next attempt in {Delay}: {Reason}"
    )]
    public static partial void Refused(
        this ILogger logger,
        string task,
        string connection,
        int attempt,
        TimeSpan delay,
        string reason
    );

    [LoggerMessage(3004, LogLevel.Information, "ETL task {Task}: {Connection} accepts messages again")]
    public static partial void Recovered(this ILogger logger, string task, string connection);

    [LoggerMessage(3005, LogLevel.Warning, "ETL task {Task}: document {DocumentId} became a dead letter: {Reason}")]
    public static partial void DeadLettered(this ILogger logger, string task, string documentId, string reason);

    [LoggerMessage(3006, LogLevel.Error, "ETL task {Task} failed and restarts from its position in {Delay}")]
    public static partial void Failed(this ILogger logger, Exception exception, string task, TimeSpan delay);

    [LoggerMessage(3007, LogLevel.Warning, "ETL task {Task}: closing its sink failed")]
    public static partial void CloseFailed(this ILogger logger, Exception exception, string task);

    [LoggerMessage(
        3008,
        LogLevel.Warning,
        "ETL task {Task}: document {DocumentId} was left out (onError: skip): {Reason}"
    )]
    public static partial void LeftOut(this ILogger logger, string task, string documentId, string reason);

    [LoggerMessage(3009, LogLevel.Error, "ETL task {Task} {Reason}; next attempt in {Delay}")]
    public static partial void StoppedBefore(this ILogger logger, string task, string reason, TimeSpan delay);

    [LoggerMessage(
        3010,
        LogLevel.Information,
        "ETL task {Task}: {Count} dead letters were sent or were obsolete, {Failed} failed again"
    )]
    public static partial void LettersTried(this ILogger logger, string task, int count, int failed);

    [LoggerMessage(
        3011,
        LogLevel.Warning,
        "ETL task {Task}: the transform failed with {Kind}, next run in {Delay}; the task's state has the message"
    )]
    public static partial void ScriptFailed(this ILogger logger, string task, string kind, TimeSpan delay);

    [LoggerMessage(
        3012,
        LogLevel.Information,
        "ETL tasks were changed while running: {Started} started, {Stopped} stopped, {Kept} unchanged"
    )]
    public static partial void Applied(this ILogger logger, int started, int stopped, int kept);

    [LoggerMessage(
        3013,
        LogLevel.Information,
        "ETL task {Task}: replays from position {At} through {Through}, alongside the live tail"
    )]
    public static partial void ReplayBegins(this ILogger logger, string task, long at, long through);

    [LoggerMessage(3014, LogLevel.Information, "ETL task {Task}: the replay has ended")]
    public static partial void ReplayEnds(this ILogger logger, string task);

    [LoggerMessage(3015, LogLevel.Warning, "ETL task {Task}: {Count} more changes became dead letters: {Kinds}")]
    public static partial void MoreDeadLettered(this ILogger logger, string task, long count, string kinds);

    [LoggerMessage(
        3016,
        LogLevel.Warning,
        "ETL task {Task}: {Count} more changes were left out (onError: skip): {Kinds}"
    )]
    public static partial void MoreLeftOut(this ILogger logger, string task, long count, string kinds);

    [LoggerMessage(
        3017,
        LogLevel.Warning,
        "ETL task {Task}: the dead letter of document {DocumentId} failed again: {Reason}"
    )]
    public static partial void FailedAgain(this ILogger logger, string task, string documentId, string reason);

    [LoggerMessage(3018, LogLevel.Warning, "ETL task {Task}: {Count} more dead letters failed again: {Kinds}")]
    public static partial void MoreFailedAgain(this ILogger logger, string task, long count, string kinds);

    [LoggerMessage(
        3030,
        LogLevel.Warning,
        "ETL task {Task} is too far behind ({Reason}): nothing is kept for it. Once its target takes messages it sends all documents again, but misses deletions until then (then: pause-and-resync)"
    )]
    public static partial void PausedForResync(this ILogger logger, string task, string reason);

    [LoggerMessage(
        3031,
        LogLevel.Error,
        "ETL task {Task} is too far behind ({Reason}) and was dropped: it is stopped, and nothing is kept for it (then: drop)"
    )]
    public static partial void Dropped(this ILogger logger, string task, string reason);

    [LoggerMessage(
        3032,
        LogLevel.Information,
        "ETL task {Task} continues at position {Position} and sends all documents up to there again"
    )]
    public static partial void ResyncBegins(this ILogger logger, string task, long position);

    [LoggerMessage(
        3033,
        LogLevel.Warning,
        "ETL task {Task} resumes at position {Position}. It was not registered for some time, so it may miss deletions between there and {Purged} that were purged. Compare the target with the documents, or resend all of them: pipeline replay {Task} --from 0"
    )]
    public static partial void DeletionsLost(this ILogger logger, string task, long position, long purged);

    [LoggerMessage(3034, LogLevel.Error, "ETL task {Task} is blocked. {Reason}")]
    public static partial void Blocked(this ILogger logger, string task, string reason);

    [LoggerMessage(3035, LogLevel.Warning, "File {File}: an unfinished last line of {Bytes} bytes was cut off")]
    public static partial void TornLineCut(this ILogger logger, string file, long bytes);
}
