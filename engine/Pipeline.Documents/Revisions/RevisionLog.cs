using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class RevisionLog
{
    [LoggerMessage(1050, LogLevel.Debug, "{Database}: {Count} versions of documents were removed")]
    public static partial void Removed(ILogger logger, string database, long count);

    [LoggerMessage(
        1051,
        LogLevel.Warning,
        "{Database}: versions of documents could not be removed; next attempt in {Interval}"
    )]
    public static partial void Failed(ILogger logger, string database, TimeSpan interval, Exception cause);
}
