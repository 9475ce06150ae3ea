using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.DeadLetters;

/// <summary>A message that is not sent, and why.</summary>
/// <param name="Message">The message.</param>
/// <param name="Reason">Why.</param>
/// <param name="Class">The kind of error.</param>
/// <param name="Attempts">How often it was sent; 0 where it was refused before sending.</param>
internal sealed record FailedMessage(OutgoingMessage Message, string Reason, FailureClass Class, int Attempts);
