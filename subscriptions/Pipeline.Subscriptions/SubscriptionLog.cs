using Microsoft.Extensions.Logging;

namespace Pipeline.Subscriptions;

/// <summary>Log messages of subscriptions. Event ids 2500–2599.</summary>
internal static partial class SubscriptionLog
{
    [LoggerMessage(2500, LogLevel.Warning, "{Database}: the subscription '{Subscription}' is far behind: {Reason}")]
    public static partial void Behind(ILogger logger, string database, string subscription, string reason);

    [LoggerMessage(2501, LogLevel.Information, "{Database}: the subscription '{Subscription}' has caught up")]
    public static partial void CaughtUp(ILogger logger, string database, string subscription);

    [LoggerMessage(
        2502,
        LogLevel.Warning,
        "{Database}: the subscription '{Subscription}' was paused by its policy and is resynced when a worker connects: {Reason}"
    )]
    public static partial void PausedForResync(ILogger logger, string database, string subscription, string reason);

    [LoggerMessage(
        2503,
        LogLevel.Error,
        "{Database}: the subscription '{Subscription}' was deleted by its policy: {Reason}"
    )]
    public static partial void Dropped(ILogger logger, string database, string subscription, string reason);

    [LoggerMessage(
        2504,
        LogLevel.Warning,
        "{Database}: the lag of subscriptions could not be checked; this is retried"
    )]
    public static partial void NotChecked(ILogger logger, string database, Exception cause);
}
