using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.DeadLetters;

/// <summary>A message that is not sent, and why.</summary>
/// <param name="Message">The message.</param>
/// <param name="Reason">Why.</param>
/// <param name="Class">The kind of error.</param>
/// <param name="Attempts">How often it was sent; 0 if it was refused before sending.</param>
internal sealed record FailedMessage(OutgoingMessage Message, string Reason, FailureClass Class, int Attempts)
{
    /// <summary>A message that its target will never accept.</summary>
    public static FailedMessage Unfit(OutgoingMessage message, string reason, bool isOversize, int attempts) =>
        new(message, reason, isOversize ? FailureClass.Oversize : FailureClass.Permanent, attempts);

    /// <summary>A message that waits for an earlier one of its key.</summary>
    public static FailedMessage Held(OutgoingMessage message, string key, int attempts) =>
        new(message, DeadLetterWriter.HeldReason(key), FailureClass.Held, attempts);
}
