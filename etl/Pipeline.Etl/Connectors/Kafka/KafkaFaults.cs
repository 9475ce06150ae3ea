using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// Converts the client library's errors into ours, and decides for which of them a retry can help. Thread-safe.
/// </summary>
internal sealed class KafkaFaults(string connection, string servers)
{
    private volatile Error? _last;

    /// <summary>
    /// Whether the client's last error about the brokers was that they refuse connections or our credentials.
    /// </summary>
    internal bool SawRefusal =>
        _last is { Code: ErrorCode.Local_AllBrokersDown or ErrorCode.Local_Authentication or ErrorCode.Local_Ssl };

    /// <summary>
    /// Whether the client's last error about the brokers was that they refuse our credentials. Waiting alone cannot fix
    /// that.
    /// </summary>
    internal bool IsRefused => _last is { Code: ErrorCode.Local_Authentication or ErrorCode.Local_Ssl };

    /// <summary>
    /// Remembers an error that the client reports in the background, because calls that then fail report only a
    /// timeout.
    /// </summary>
    internal void Note(Error error)
    {
        // "All brokers down" follows the error that gives the reason.
        if (error.Code == ErrorCode.Local_AllBrokersDown && IsRefused)
            return;
        _last = error;
    }

    /// <summary>Forgets the last error.</summary>
    internal void Clear() => _last = null;

    internal ConnectorException Transient(string what, Exception? cause = null) =>
        new(connection, $"Kafka at {servers}: {what}.", isTransient: true, cause);

    internal ConnectorException Permanent(string what, Exception? cause = null) =>
        new(connection, $"Kafka at {servers}: {what}.", isTransient: false, cause);

    internal ConnectorException From(string what, KafkaException cause) => From(what, cause.Error, cause);

    internal ConnectorException From(string what, Error error, Exception? cause)
    {
        var last = _last;
        var known = error.Code
            is ErrorCode.Local_TimedOut
                or ErrorCode.Local_Transport
                or ErrorCode.Local_MsgTimedOut
                or ErrorCode.Local_State
            ? last ?? error
            : error;
        var why = ReferenceEquals(known, error)
            ? $"{error.Reason} ({error.Code})"
            : $"{error.Reason} ({error.Code}); the client's last error: {known.Reason} ({known.Code})";
        return new ConnectorException(connection, $"Kafka at {servers}: {what}: {why}.", !IsPermanent(known), cause);
    }

    /// <summary>Whether the broker refused a message because of the message itself.</summary>
    internal static bool IsOfTheMessage(ErrorCode code) =>
        code
            is ErrorCode.MsgSizeTooLarge
                or ErrorCode.InvalidMsg
                or ErrorCode.InvalidRecord
                or ErrorCode.RecordListTooLarge
                or ErrorCode.InvalidMsgSize
                or ErrorCode.InvalidTimestamp
                or ErrorCode.TopicException;

    /// <summary>
    /// Whether a request was refused because an earlier one was. The client may then report either reason.
    /// </summary>
    internal static bool IsOfTheSequence(ErrorCode code) => code is ErrorCode.OutOfOrderSequenceNumber;

    /// <summary>Whether another producer with our transactional id has started.</summary>
    internal static bool IsFenced(ErrorCode code) =>
        code is ErrorCode.Local_Fenced or ErrorCode.ProducerFenced or ErrorCode.InvalidProducerEpoch;

    private static bool IsPermanent(Error error) =>
        error.Code
            is ErrorCode.Local_Authentication
                or ErrorCode.SaslAuthenticationFailed
                or ErrorCode.TopicAuthorizationFailed
                or ErrorCode.ClusterAuthorizationFailed
                or ErrorCode.TransactionalIdAuthorizationFailed
                or ErrorCode.GroupAuthorizationFailed
                or ErrorCode.SecurityDisabled
                or ErrorCode.UnsupportedSaslMechanism
                or ErrorCode.IllegalSaslState
                or ErrorCode.InvalidTransactionTimeout
                or ErrorCode.InvalidReplicationFactor
                or ErrorCode.InvalidPartitions
                or ErrorCode.InvalidConfig
                or ErrorCode.PolicyViolation
                or ErrorCode.UnsupportedVersion
                or ErrorCode.Local_UnsupportedFeature
                or ErrorCode.Local_InvalidArg;
}
