using Microsoft.Extensions.Logging;

namespace Pipeline.Server;

/// <summary>The server's log messages.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(EventId = 6001, Level = LogLevel.Error, Message = "{Method} {Path} failed")]
    public static partial void RequestFailed(ILogger logger, string method, string path, Exception error);
}
