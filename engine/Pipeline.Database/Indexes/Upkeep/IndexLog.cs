using Microsoft.Extensions.Logging;

namespace Pipeline.Database.Indexes;

internal static partial class IndexLog
{
    [LoggerMessage(40, LogLevel.Debug, "{Database}: the index '{Index}' is no longer followed")]
    public static partial void Stopped(ILogger logger, string database, string index);

    [LoggerMessage(41, LogLevel.Error, "{Database}: the index '{Index}' cannot go on")]
    public static partial void Failed(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(42, LogLevel.Error, "{Database}: the index '{Index}' is in error: {Failure}")]
    public static partial void InError(ILogger logger, string database, string index, string failure);

    [LoggerMessage(43, LogLevel.Warning, "{Database}: the index '{Index}' waits for room")]
    public static partial void Waits(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(44, LogLevel.Warning, "{Database}: the store of the index '{Index}' is damaged or of other documents; it is built anew")]
    public static partial void Rebuilt(ILogger logger, string database, string index, Exception? cause);

    [LoggerMessage(45, LogLevel.Information, "{Database}: the index '{Index}' was replaced by the version that was built beside it")]
    public static partial void Replaced(ILogger logger, string database, string index);

    [LoggerMessage(46, LogLevel.Warning, "{Database}: the folder '{Folder}' of an index that is gone could not be deleted; it is tried again at the next opening")]
    public static partial void NotDeleted(ILogger logger, string database, string folder);

    [LoggerMessage(47, LogLevel.Information, "{Database}: the automatic index '{Index}' was deleted: no query has used it since {Since}")]
    public static partial void Unused(ILogger logger, string database, string index, DateTimeOffset since);

    [LoggerMessage(48, LogLevel.Warning, "{Database}: whether the index '{Index}' ends the process cannot be written down")]
    public static partial void NotMarked(ILogger logger, string database, string index, Exception cause);

    [LoggerMessage(49, LogLevel.Error, "{Database}: the index '{Index}' starts disabled. {Reason}")]
    public static partial void Blocked(ILogger logger, string database, string index, string reason);
}
