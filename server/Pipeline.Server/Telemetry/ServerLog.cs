using Microsoft.Extensions.Logging;

namespace Pipeline.Server;

/// <summary>The server's log messages.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(EventId = 6001, Level = LogLevel.Error, Message = "{Method} {Path} failed")]
    public static partial void RequestFailed(ILogger logger, string method, string path, Exception error);

    [LoggerMessage(
        EventId = 6002,
        Level = LogLevel.Information,
        Message = "{Client} works on the subscription '{Subscription}' of '{Database}'"
    )]
    public static partial void WorkerConnected(ILogger logger, string client, string subscription, string database);

    [LoggerMessage(EventId = 6003, Level = LogLevel.Warning, Message = "{Client} was refused: {Reason}")]
    public static partial void WorkerRefused(ILogger logger, string client, string reason);

    [LoggerMessage(EventId = 6004, Level = LogLevel.Information, Message = "{Client} was answered: {Reason}")]
    public static partial void WorkerEnded(ILogger logger, string client, string reason);

    [LoggerMessage(
        EventId = 6005,
        Level = LogLevel.Information,
        Message = "{Client} has left its subscription: {Reason}"
    )]
    public static partial void WorkerLeft(ILogger logger, string client, string reason);

    [LoggerMessage(EventId = 6006, Level = LogLevel.Debug, Message = "{Client} sent nothing: {Reason}")]
    public static partial void NothingSent(ILogger logger, System.Net.EndPoint? client, string reason);

    [LoggerMessage(
        EventId = 6015,
        Level = LogLevel.Debug,
        Message = "{Client} is refused: {Name} has as many connections as one client may have (server.limits.connections)"
    )]
    public static partial void TooManyConnections(ILogger logger, System.Net.EndPoint? client, string name);

    [LoggerMessage(
        EventId = 6007,
        Level = LogLevel.Information,
        Message = "New connections use the new certificate of {File}: {Thumbprint}, valid until {NotAfter:O}"
    )]
    public static partial void CertificateRenewed(ILogger logger, string file, string thumbprint, DateTime notAfter);

    [LoggerMessage(
        EventId = 6008,
        Level = LogLevel.Warning,
        Message = "{File} has changed and cannot be used; connections keep the previous certificate, valid until {NotAfter:O}. {Reason}"
    )]
    public static partial void CertificateKept(ILogger logger, string file, DateTime notAfter, string reason);

    [LoggerMessage(
        EventId = 6022,
        Level = LogLevel.Warning,
        Message = "All {Most} connections are taken (server.limits.connections). {Refused} new ones were closed at once; {Replaced} replaced older ones without a request"
    )]
    public static partial void ConnectionsRefused(ILogger logger, int refused, int replaced, int most);

    [LoggerMessage(
        EventId = 6021,
        Level = LogLevel.Warning,
        Message = "This process may open {Files} files, so the server accepts at most {Most} connections instead of {Wanted} (server.limits.connections). Raise the limit: ulimit -n, or LimitNOFILE in the service's unit"
    )]
    public static partial void FewOpenFiles(ILogger logger, long? files, int most, int wanted);

    [LoggerMessage(
        EventId = 6020,
        Level = LogLevel.Warning,
        Message = "Every admin of a database may define indexes in C# (server.scripts.csharp: databaseAdmin). C# runs with the server's rights and can reach every database and the machine. Remove the setting unless you trust each admin with the server"
    )]
    public static partial void CSharpOfDatabaseAdmins(ILogger logger);

    [LoggerMessage(
        EventId = 6040,
        Level = LogLevel.Warning,
        Message = "{Method} {Path} was cut off: this node was not certain to lead any more when it was to answer"
    )]
    public static partial void LeaseLost(ILogger logger, string method, string path);
}
