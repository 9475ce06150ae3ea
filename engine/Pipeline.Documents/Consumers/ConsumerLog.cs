using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class ConsumerLog
{
    [LoggerMessage(1060, LogLevel.Debug, "{Database}: {Count} tombstones up to position {Through} were purged")]
    public static partial void Purged(ILogger logger, string database, long count, long through);

    [LoggerMessage(1061, LogLevel.Warning, "{Database}: tombstones could not be purged; this is retried")]
    public static partial void NotPurged(ILogger logger, string database, Exception cause);
}
