using Microsoft.Extensions.Logging;

namespace Pipeline.Backups;

/// <summary>Log messages of backups. Event ids 4000–4099.</summary>
internal static partial class BackupLog
{
    [LoggerMessage(
        4001,
        LogLevel.Information,
        "backup {Name}: {Id} to {Destination}, position {Position}: {Content} bytes, {Stored} stored, {Sent} sent, in {Milliseconds} ms"
    )]
    public static partial void Done(
        ILogger logger,
        string name,
        string id,
        string destination,
        long position,
        long content,
        long stored,
        long sent,
        long milliseconds
    );

    [LoggerMessage(4002, LogLevel.Error, "backup {Name} to {Destination} failed")]
    public static partial void Failed(ILogger logger, string name, string destination, Exception cause);

    [LoggerMessage(4003, LogLevel.Information, "backup {Name} to {Destination} is full: {Reason}")]
    public static partial void MadeFull(ILogger logger, string name, string destination, string reason);

    [LoggerMessage(4004, LogLevel.Warning, "backup {Name}: a manifest cannot be read")]
    public static partial void ManifestDamaged(ILogger logger, string name, Exception cause);

    [LoggerMessage(
        4005,
        LogLevel.Information,
        "backup {Name}: retention removed {Count} backups and {Chunks} chunks from {Destination}"
    )]
    public static partial void Removed(ILogger logger, string name, int count, int chunks, string destination);

    [LoggerMessage(
        4007,
        LogLevel.Information,
        "backup {Name} was stopped on request, or because this node no longer leads"
    )]
    public static partial void Cancelled(ILogger logger, string name);

    [LoggerMessage(4008, LogLevel.Error, "backup {Name}: a scheduled run failed; the next run follows the schedule")]
    public static partial void RunFailed(ILogger logger, string name, Exception cause);

    [LoggerMessage(
        4009,
        LogLevel.Information,
        "backup {Name}: the scheduled run {Run} has made {Id} at {Destination} already; it is not repeated"
    )]
    public static partial void MadeBefore(ILogger logger, string name, string run, string id, string destination);

    [LoggerMessage(
        4010,
        LogLevel.Warning,
        "backup {Name}: this node lost the leadership before the run was recorded; the next leader runs it if it was scheduled"
    )]
    public static partial void NotRecorded(ILogger logger, string name);

    [LoggerMessage(
        4011,
        LogLevel.Warning,
        "the journal is not kept for the next backup: {Reason} A node that lacks it makes a full backup"
    )]
    public static partial void JournalNotKept(ILogger logger, string reason);

    [LoggerMessage(
        4006,
        LogLevel.Warning,
        "backup {Name}: retention did not complete at {Destination}; the next run continues it"
    )]
    public static partial void RetentionFailed(ILogger logger, string name, string destination, Exception cause);
}
