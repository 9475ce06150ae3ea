using System.Net.Sockets;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>
/// Converts the client library's errors into ours, and decides for which of them a retry can help. Immutable.
/// </summary>
/// <param name="connection">The connection's name in the configuration.</param>
/// <param name="broker">The broker's host and port: never the URI, which holds a password.</param>
internal sealed class RabbitMqFaults(string connection, string broker)
{
    internal ConnectorException Transient(string what, Exception? cause = null) =>
        new(connection, $"RabbitMQ at {broker}: {what}.", isTransient: true, cause);

    internal ConnectorException Permanent(string what, Exception cause) =>
        new(connection, $"RabbitMQ at {broker}: {what.TrimEnd('.')}.", isTransient: false, cause);

    internal ConnectorException From(string what, Exception cause)
    {
        var (why, permanent) = cause switch
        {
            OperationInterruptedException { ShutdownReason: { } reason } => Describe(reason),
            BrokerUnreachableException { InnerException: { } inner } => DescribeUnreachable(inner),
            _ => (cause.Message, false),
        };
        return new ConnectorException(
            connection,
            $"RabbitMQ at {broker}: {what}: {why.TrimEnd('.')}.",
            !permanent,
            cause
        );
    }

    internal ConnectorException From(string what, ShutdownEventArgs reason)
    {
        var (why, permanent) = Describe(reason);
        return new ConnectorException(connection, $"RabbitMQ at {broker}: {what}: {why.TrimEnd('.')}.", !permanent);
    }

    /// <summary>The message for a broker that has blocked the connection.</summary>
    internal static string TakesNone(string reason) =>
        $"the broker accepts no messages at the moment: {reason} (connection.blocked)";

    /// <summary>
    /// Whether the error is one of the broker's or the network's, and not a stop or a mistake of ours.
    /// </summary>
    internal static bool IsOfTheBroker(Exception e, CancellationToken stop) =>
        e switch
        {
            OperationCanceledException => !stop.IsCancellationRequested,
            RabbitMQClientException or IOException or SocketException or TimeoutException or ObjectDisposedException =>
                true,
            _ => false,
        };

    private static (string Why, bool Permanent) DescribeUnreachable(Exception inner) =>
        inner switch
        {
            AuthenticationFailureException => ("the broker refuses the user name or the password", true),
            PossibleAuthenticationFailureException => (
                "the broker refuses the user, the password or the virtual host",
                true
            ),
            OperationInterruptedException { ShutdownReason: { } reason } => Describe(reason),
            AggregateException { InnerException: { } one } => DescribeUnreachable(one),
            _ => (inner.GetBaseException().Message, false),
        };

    /// <summary>AMQP 0-9-1's reply codes. Those that need a change of configuration or rights are permanent.</summary>
    private static (string Why, bool Permanent) Describe(ShutdownEventArgs reason) =>
        (
            reason.ReplyText,
            reason.ReplyCode
                is Constants.AccessRefused
                    or Constants.NotFound
                    or Constants.PreconditionFailed
                    or Constants.NotAllowed
                    or Constants.NotImplemented
        );
}
