using Microsoft.Extensions.Logging;

namespace Pipeline.Database.Indexes;

/// <summary>Log messages of indexes. Event ids 2000–2099.</summary>
internal static partial class IndexLog
{
    [LoggerMessage(2040, LogLevel.Debug, "{Database}: the index '{Index}' stopped")]
    public static partial void Stopped(ILogger logger, string database, string index);

    [LoggerMessage(2041, LogLevel.Error, "{Database}: the index '{Index}' cannot continue")]
    public static partial void Failed(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(2042, LogLevel.Error, "{Database}: the index '{Index}' is in error: {Failure}")]
    public static partial void InError(ILogger logger, string database, string index, string failure);

    [LoggerMessage(2043, LogLevel.Warning, "{Database}: the index '{Index}' waits for disk space")]
    public static partial void Waits(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(
        2044,
        LogLevel.Warning,
        "{Database}: the store of the index '{Index}' is damaged or belongs to other documents; the index is rebuilt"
    )]
    public static partial void Rebuilt(ILogger logger, string database, string index, Exception? cause);

    [LoggerMessage(2045, LogLevel.Information, "{Database}: the index '{Index}' was replaced by its new version")]
    public static partial void Replaced(ILogger logger, string database, string index);

    [LoggerMessage(
        2046,
        LogLevel.Warning,
        "{Database}: the folder '{Folder}' of a deleted index could not be deleted; the next opening retries it"
    )]
    public static partial void NotDeleted(ILogger logger, string database, string folder);

    [LoggerMessage(
        2047,
        LogLevel.Information,
        "{Database}: the automatic index '{Index}' was deleted: no query has used it since {Since}"
    )]
    public static partial void Unused(ILogger logger, string database, string index, DateTimeOffset since);

    [LoggerMessage(
        2048,
        LogLevel.Warning,
        "{Database}: cannot record that the index '{Index}' is running, so a crash that it causes would go unnoticed"
    )]
    public static partial void NotMarked(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(
        2055,
        LogLevel.Error,
        "{Database}: this node could not follow the leader's definitions of indexes; the next change of a definition, or a restart, tries again"
    )]
    public static partial void NotFollowed(ILogger logger, string database, Exception cause);

    [LoggerMessage(2056, LogLevel.Information, "{Database}: a change of an index is left to the next leader")]
    public static partial void LeftToLeader(ILogger logger, string database, Exception cause);

    [LoggerMessage(2049, LogLevel.Error, "{Database}: the index '{Index}' starts disabled. {Reason}")]
    public static partial void Blocked(ILogger logger, string database, string index, string reason);
}
