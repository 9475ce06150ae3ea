using Microsoft.Extensions.Logging;

namespace Pipeline.Hosting;

/// <summary>The log messages of hosting.</summary>
internal static partial class HostingLog
{
    /// <summary>The category of the messages.</summary>
    public const string Category = "Pipeline.Hosting";

    [LoggerMessage(7001, LogLevel.Information, "The database '{Name}' is open in {Path}")]
    public static partial void DatabaseOpened(ILogger logger, string name, string path);

    [LoggerMessage(7002, LogLevel.Warning, "{Method} {Path} from {Address} was refused: {Reason}")]
    public static partial void MappedRequestRefused(
        ILogger logger,
        string method,
        string path,
        System.Net.IPAddress? address,
        string reason
    );

    [LoggerMessage(
        7003,
        LogLevel.Warning,
        "server.clients of {File} does not apply below {Path}: the application authorizes clients there, and MapPipeline's access sets their rights"
    )]
    public static partial void ClientsNotAsked(ILogger logger, string file, string path);

    [LoggerMessage(
        7004,
        LogLevel.Warning,
        "The worker of {File} did not stop within the host's shutdown timeout; progress is stored, so the next start resumes"
    )]
    public static partial void StopTimedOut(ILogger logger, string file);

    [LoggerMessage(7005, LogLevel.Information, "The handler of the subscription '{Subscription}' is connected")]
    public static partial void SubscriptionConnected(ILogger logger, string subscription);

    [LoggerMessage(
        7006,
        LogLevel.Warning,
        "The handler of the subscription '{Subscription}' lost its connection: {Reason} Reconnect attempt {Attempt} follows in {Wait}"
    )]
    public static partial void SubscriptionInterrupted(
        ILogger logger,
        string subscription,
        string reason,
        int attempt,
        TimeSpan wait
    );

    [LoggerMessage(
        7007,
        LogLevel.Warning,
        "The handler of the subscription '{Subscription}' failed for {Id} at attempt {Attempt}; it is delivered again"
    )]
    public static partial void DocumentRejected(
        ILogger logger,
        string subscription,
        string id,
        int attempt,
        Exception error
    );

    [LoggerMessage(
        7008,
        LogLevel.Error,
        "The handler of the subscription '{Subscription}' failed for {Id} at attempt {Attempt}, the last one; it is parked as a dead letter"
    )]
    public static partial void DocumentParked(
        ILogger logger,
        string subscription,
        string id,
        int attempt,
        Exception error
    );

    [LoggerMessage(7009, LogLevel.Error, "The handler of the subscription '{Subscription}' has ended")]
    public static partial void SubscriptionEnded(ILogger logger, string subscription, Exception error);

    [LoggerMessage(7010, LogLevel.Error, "The projection '{Projection}' failed; it is tried again in {Wait}")]
    public static partial void ProjectionFailed(ILogger logger, string projection, TimeSpan wait, Exception error);
}
