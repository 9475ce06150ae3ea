using Microsoft.Extensions.Logging;

namespace Pipeline.Hosting.Actors;

/// <summary>Log messages of actors in a cluster. Event ids 5060–5069.</summary>
internal static partial class ActorLog
{
    [LoggerMessage(
        5060,
        LogLevel.Information,
        "the actor system {System} at {Address} has joined the other nodes; {Start} has started its actors"
    )]
    public static partial void Joined(ILogger logger, string system, string address, string start);

    [LoggerMessage(
        5061,
        LogLevel.Warning,
        "the actor system {System} has lost the node that leads; it starts again and joins that node"
    )]
    public static partial void LostLeader(ILogger logger, string system);

    [LoggerMessage(5062, LogLevel.Warning, "the actor system {System} has ended; it starts again")]
    public static partial void Ended(ILogger logger, string system);

    [LoggerMessage(5063, LogLevel.Error, "the actor system {System} does not run; the next try follows")]
    public static partial void Failed(ILogger logger, string system, Exception error);

    [LoggerMessage(
        5064,
        LogLevel.Warning,
        "actors of different nodes talk without encryption at {Address}: whoever reaches this port can send them messages; set server.certificate"
    )]
    public static partial void IsPlain(ILogger logger, string address);
}
