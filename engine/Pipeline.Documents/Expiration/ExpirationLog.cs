using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

/// <summary>Log messages of expiration. Event ids 1064–1069 of the documents' 1000–1099.</summary>
internal static partial class ExpirationLog
{
    [LoggerMessage(
        1064,
        LogLevel.Debug,
        "{Database}: {Deleted} expired documents were deleted, {Refreshed} were refreshed"
    )]
    public static partial void Done(ILogger logger, string database, long deleted, long refreshed);

    [LoggerMessage(
        1065,
        LogLevel.Warning,
        "{Database}: expired documents could not be deleted; next attempt in {Interval}"
    )]
    public static partial void Failed(ILogger logger, string database, TimeSpan interval, Exception cause);

    [LoggerMessage(
        1066,
        LogLevel.Warning,
        "{Database}: the document '{Id}' has a {Property} that is not a time (such as 2026-01-31T12:00:00.0000000Z); the document is left alone"
    )]
    public static partial void NoTime(ILogger logger, string database, string id, string property);
}
