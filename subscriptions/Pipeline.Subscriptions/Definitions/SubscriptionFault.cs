namespace Pipeline.Subscriptions;

/// <summary>An error in a definition.</summary>
/// <param name="Part">The part that is wrong.</param>
/// <param name="Line">The line within the part's text, from 1; 0 if the part is not text.</param>
/// <param name="Column">The column on that line, from 1, in UTF-16 units; 0 if the part is not text.</param>
/// <param name="Message">What is wrong.</param>
/// <param name="Suggestion">What to write instead; null if unknown.</param>
public sealed record SubscriptionFault(
    SubscriptionPart Part,
    int Line,
    int Column,
    string Message,
    string? Suggestion = null
);
