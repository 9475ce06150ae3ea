using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class ConsumerLog
{
    [LoggerMessage(60, LogLevel.Debug, "{Database}: {Count} tombstones up to position {Through} were purged")]
    public static partial void Purged(ILogger logger, string database, long count, long through);

    [LoggerMessage(61, LogLevel.Warning, "{Database}: tombstones could not be purged; this is retried")]
    public static partial void NotPurged(ILogger logger, string database, Exception cause);
}
