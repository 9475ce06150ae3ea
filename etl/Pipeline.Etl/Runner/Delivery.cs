using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>How the delivery of one batch ended.</summary>
/// <param name="Outcome">What became of the batch.</param>
/// <param name="Failed">The messages that the target does not have, each with its class of error.</param>
internal readonly record struct Delivery(DeliveryOutcome Outcome, IReadOnlyList<FailedMessage> Failed)
{
    /// <summary>The target had the whole batch before it was sent.</summary>
    public static Delivery AlreadySent { get; } = new(DeliveryOutcome.AlreadySent, []);

    /// <summary>Nothing was sent, since a refused message holds the key of others.</summary>
    public static Delivery Resend { get; } = new(DeliveryOutcome.Resend, []);

    /// <summary>The target confirmed every message that it did not refuse.</summary>
    public static Delivery Sent(IReadOnlyList<MessageFailure> refused, int attempts) =>
        new(
            DeliveryOutcome.Sent,
            refused.Count == 0
                ? []
                : [.. refused.Select(f => FailedMessage.Unfit(f.Message, f.Reason, f.IsOversize, attempts))]
        );

    /// <summary>The batch was sent as often as <c>retry.attempts</c> allows.</summary>
    public static Delivery GivenUp(IReadOnlyList<OutgoingMessage> messages, ConnectorException last, int attempts) =>
        new(
            DeliveryOutcome.GivenUp,
            [.. messages.Select(m => new FailedMessage(m, last.Message, ClassOf(last), attempts))]
        );

    /// <summary>The class of an error of the target.</summary>
    public static FailureClass ClassOf(ConnectorException error) =>
        error.IsTransient ? FailureClass.Transient : FailureClass.Permanent;
}

/// <summary>
/// What became of a batch. One that was cancelled has no outcome: the call throws, and the batch is resent after the
/// next start.
/// </summary>
internal enum DeliveryOutcome
{
    /// <summary>The target confirmed it. It may have refused some messages.</summary>
    Sent,

    /// <summary>The target had it before. Only the answer to an earlier attempt was lost.</summary>
    AlreadySent,

    /// <summary>The target could not be reached, or refused it as a whole, until no attempts were left.</summary>
    GivenUp,

    /// <summary>It must be resent without the messages whose key a refused message holds.</summary>
    Resend,
}
