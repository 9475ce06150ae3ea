using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors;

/// <summary>Log messages of the connectors. Event ids 3100–3199.</summary>
internal static partial class ConnectorLog
{
    [LoggerMessage(3100, LogLevel.Information, "Connection {Connection}: topic {Topic} was created")]
    internal static partial void TopicCreated(ILogger logger, string connection, string topic);

    [LoggerMessage(3101, LogLevel.Debug, "Connection {Connection}: the size limits of topics are unknown: {Reason}")]
    internal static partial void TopicLimitsUnknown(ILogger logger, string connection, string reason);

    [LoggerMessage(3102, LogLevel.Debug, "Connection {Connection}: {Message}")]
    internal static partial void KafkaClient(ILogger logger, string connection, string message);

    [LoggerMessage(
        3103,
        LogLevel.Warning,
        "Connection {Connection}, task {Task}: the broker refuses a message of the batch ({Reason}); sending again to find the message"
    )]
    internal static partial void MessageRefused(ILogger logger, string connection, string task, string reason);

    [LoggerMessage(
        3104,
        LogLevel.Warning,
        "Connection {Connection}, task {Task}: a transaction could not be aborted; the broker will abort it: {Reason}"
    )]
    internal static partial void NotAborted(ILogger logger, string connection, string task, string reason);

    [LoggerMessage(
        EventId = 3105,
        Message = "Connection {Connection}, task {Task}: connected in {Total:N0} ms: topics {Topics:N0} ms, transactions {Transactions:N0} ms, position {Position:N0} ms"
    )]
    internal static partial void KafkaConnected(
        ILogger logger,
        LogLevel level,
        string connection,
        string task,
        double total,
        double topics,
        double transactions,
        double position
    );

    [LoggerMessage(3110, LogLevel.Information, "Connection {Connection}: queue {Queue} was declared")]
    internal static partial void QueueDeclared(ILogger logger, string connection, string queue);

    [LoggerMessage(3113, LogLevel.Information, "Connection {Connection}: exchange {Exchange} was declared")]
    internal static partial void ExchangeDeclared(ILogger logger, string connection, string exchange);

    [LoggerMessage(
        3111,
        LogLevel.Warning,
        "Connection {Connection}: the broker accepts no messages at the moment: {Reason}"
    )]
    internal static partial void ConnectionBlocked(ILogger logger, string connection, string reason);

    [LoggerMessage(3112, LogLevel.Information, "Connection {Connection}: the broker accepts messages again")]
    internal static partial void ConnectionUnblocked(ILogger logger, string connection);

    [LoggerMessage(3114, LogLevel.Debug, "Connection {Connection}: closing failed; no message is lost: {Reason}")]
    internal static partial void CloseFailed(ILogger logger, string connection, string reason);

    [LoggerMessage(3120, LogLevel.Information, "Connection {Connection}: queue {Queue} was created")]
    internal static partial void AzureQueueCreated(ILogger logger, string connection, string queue);

    [LoggerMessage(
        3130,
        LogLevel.Information,
        "Connection {Connection}: a secret has changed; the connection uses the new one"
    )]
    internal static partial void SecretChanged(ILogger logger, string connection);
}
