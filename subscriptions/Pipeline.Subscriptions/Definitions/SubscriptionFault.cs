namespace Pipeline.Subscriptions;

/// <summary>One reason why a definition cannot be one.</summary>
/// <param name="Part">What is wrong.</param>
/// <param name="Line">The line of its text, from 1; 0 where it has no lines.</param>
/// <param name="Column">The column there, from 1, in UTF-16 units; 0 where it has none.</param>
/// <param name="Message">Why.</param>
/// <param name="Suggestion">What to write instead, where that can be said.</param>
public sealed record SubscriptionFault(SubscriptionPart Part, int Line, int Column, string Message, string? Suggestion = null);
