using Microsoft.Extensions.Logging;

namespace Pipeline.Server;

/// <summary>The server's log messages.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(EventId = 6001, Level = LogLevel.Error, Message = "{Method} {Path} failed")]
    public static partial void RequestFailed(ILogger logger, string method, string path, Exception error);

    [LoggerMessage(EventId = 6002, Level = LogLevel.Information, Message = "{Client} works on the subscription '{Subscription}' of '{Database}'")]
    public static partial void WorkerConnected(ILogger logger, string client, string subscription, string database);

    [LoggerMessage(EventId = 6003, Level = LogLevel.Warning, Message = "{Client} was refused: {Reason}")]
    public static partial void WorkerRefused(ILogger logger, string client, string reason);

    [LoggerMessage(EventId = 6004, Level = LogLevel.Information, Message = "{Client} is told: {Reason}")]
    public static partial void WorkerEnded(ILogger logger, string client, string reason);

    [LoggerMessage(EventId = 6005, Level = LogLevel.Information, Message = "{Client} has left its subscription: {Reason}")]
    public static partial void WorkerLeft(ILogger logger, string client, string reason);

    [LoggerMessage(EventId = 6006, Level = LogLevel.Debug, Message = "{Client} has sent nothing: {Reason}")]
    public static partial void NothingSent(ILogger logger, System.Net.EndPoint? client, string reason);

    [LoggerMessage(EventId = 6007, Level = LogLevel.Information, Message = "Connections get the new certificate of {File} from now on: {Thumbprint}, good until {NotAfter:O}")]
    public static partial void CertificateRenewed(ILogger logger, string file, string thumbprint, DateTime notAfter);

    [LoggerMessage(EventId = 6008, Level = LogLevel.Warning, Message = "{File} has changed and cannot be used; connections get the certificate before it, good until {NotAfter:O}. {Reason}")]
    public static partial void CertificateKept(ILogger logger, string file, DateTime notAfter, string reason);
}
