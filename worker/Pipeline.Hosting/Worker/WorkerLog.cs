using Microsoft.Extensions.Logging;

namespace Pipeline.Hosting;

/// <summary>Log messages of the worker. Event ids 5000–5099.</summary>
internal static partial class WorkerLog
{
    [LoggerMessage(
        5002,
        LogLevel.Information,
        "listening on {Address}: /health/live, /health/ready, /metrics, /databases"
    )]
    public static partial void Listening(ILogger logger, string address);

    [LoggerMessage(5003, LogLevel.Information, "progress: {Tasks}")]
    public static partial void Progress(ILogger logger, string tasks);

    [LoggerMessage(5004, LogLevel.Information, "stopping")]
    public static partial void Stopping(ILogger logger);

    [LoggerMessage(5030, LogLevel.Information, "the actor system {System} runs; {Start} has started its actors")]
    public static partial void ActorsStarted(ILogger logger, string system, string start);

    [LoggerMessage(
        5010,
        LogLevel.Information,
        "task {Task} is no longer in the file; it was stopped at position {Position} and no tombstones are kept for it"
    )]
    public static partial void TaskRemoved(ILogger logger, string task, long position);

    [LoggerMessage(
        5011,
        LogLevel.Warning,
        "{Setting} has changed in the file; the change takes effect when the worker restarts"
    )]
    public static partial void NeedsRestart(ILogger logger, string setting);

    [LoggerMessage(
        5012,
        LogLevel.Error,
        "{File} has changed and cannot be applied; the worker keeps its previous configuration: {Reason}"
    )]
    public static partial void NotApplied(ILogger logger, string file, string reason);

    [LoggerMessage(5014, LogLevel.Warning, "{Reason}: now")]
    public static partial void StartsAgain(ILogger logger, string reason);

    [LoggerMessage(5013, LogLevel.Information, "the backup {Backup} was {Change}")]
    public static partial void BackupChanged(ILogger logger, string backup, string change);

    [LoggerMessage(
        5015,
        LogLevel.Warning,
        "cannot write or delete 'worker.address' in {Folder}; commands on this folder need --url: {Reason}"
    )]
    public static partial void AddressNotWritten(ILogger logger, string folder, string reason);
}
