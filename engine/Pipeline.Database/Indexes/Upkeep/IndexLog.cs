using Microsoft.Extensions.Logging;

namespace Pipeline.Database.Indexes;

internal static partial class IndexLog
{
    [LoggerMessage(40, LogLevel.Debug, "{Database}: the index '{Index}' stopped")]
    public static partial void Stopped(ILogger logger, string database, string index);

    [LoggerMessage(41, LogLevel.Error, "{Database}: the index '{Index}' cannot continue")]
    public static partial void Failed(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(42, LogLevel.Error, "{Database}: the index '{Index}' is in error: {Failure}")]
    public static partial void InError(ILogger logger, string database, string index, string failure);

    [LoggerMessage(43, LogLevel.Warning, "{Database}: the index '{Index}' waits for disk space")]
    public static partial void Waits(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(
        44,
        LogLevel.Warning,
        "{Database}: the store of the index '{Index}' is damaged or belongs to other documents; the index is rebuilt"
    )]
    public static partial void Rebuilt(ILogger logger, string database, string index, Exception? cause);

    [LoggerMessage(45, LogLevel.Information, "{Database}: the index '{Index}' was replaced by its new version")]
    public static partial void Replaced(ILogger logger, string database, string index);

    [LoggerMessage(
        46,
        LogLevel.Warning,
        "{Database}: the folder '{Folder}' of a deleted index could not be deleted; the next opening retries it"
    )]
    public static partial void NotDeleted(ILogger logger, string database, string folder);

    [LoggerMessage(
        47,
        LogLevel.Information,
        "{Database}: the automatic index '{Index}' was deleted: no query has used it since {Since}"
    )]
    public static partial void Unused(ILogger logger, string database, string index, DateTimeOffset since);

    [LoggerMessage(
        48,
        LogLevel.Warning,
        "{Database}: cannot record that the index '{Index}' is running, so a crash that it causes would go unnoticed"
    )]
    public static partial void NotMarked(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(
        55,
        LogLevel.Error,
        "{Database}: this node could not follow the leader's definitions of indexes; the next change of a definition, or a restart, tries again"
    )]
    public static partial void NotFollowed(ILogger logger, string database, Exception cause);

    [LoggerMessage(56, LogLevel.Information, "{Database}: a change of an index is left to the next leader")]
    public static partial void LeftToLeader(ILogger logger, string database, Exception cause);

    [LoggerMessage(49, LogLevel.Error, "{Database}: the index '{Index}' starts disabled. {Reason}")]
    public static partial void Blocked(ILogger logger, string database, string index, string reason);
}
