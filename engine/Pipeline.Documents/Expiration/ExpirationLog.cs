using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class ExpirationLog
{
    [LoggerMessage(
        54,
        LogLevel.Debug,
        "{Database}: {Deleted} expired documents were deleted, {Refreshed} were refreshed"
    )]
    public static partial void Done(ILogger logger, string database, long deleted, long refreshed);

    [LoggerMessage(
        55,
        LogLevel.Warning,
        "{Database}: expired documents could not be deleted; next attempt in {Interval}"
    )]
    public static partial void Failed(ILogger logger, string database, TimeSpan interval, Exception cause);

    [LoggerMessage(
        56,
        LogLevel.Warning,
        "{Database}: the document '{Id}' has a {Property} that is not a time (such as 2026-01-31T12:00:00.0000000Z); the document is left alone"
    )]
    public static partial void NoTime(ILogger logger, string database, string id, string property);
}
