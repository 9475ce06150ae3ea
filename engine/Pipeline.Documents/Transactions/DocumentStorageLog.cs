using Microsoft.Extensions.Logging;

namespace Pipeline.Documents;

internal static partial class DocumentStorageLog
{
    [LoggerMessage(
        1052,
        LogLevel.Warning,
        "{Database}: cannot record that the script of '{Owner}' is running, so a crash that it causes would go unnoticed"
    )]
    public static partial void NotMarked(ILogger logger, string database, string owner, Exception cause);

    [LoggerMessage(1053, LogLevel.Information, "{Database}: this node does not lead any more")]
    public static partial void TermOver(ILogger logger, string database);

    [LoggerMessage(1054, LogLevel.Warning, "{Database}: this node leads but cannot take writes yet; it tries again")]
    public static partial void NotPrepared(ILogger logger, string database, Exception cause);
}
