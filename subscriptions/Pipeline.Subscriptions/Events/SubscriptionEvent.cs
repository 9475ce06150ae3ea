namespace Pipeline.Subscriptions;

/// <summary>Something that happened to a subscription.</summary>
/// <param name="Kind">What happened.</param>
/// <param name="Subscription">The subscription; empty with <see cref="SubscriptionEventKind.Missed"/>.</param>
/// <param name="Time">When, by the host's clock.</param>
/// <param name="Worker">The worker that the event concerns; null if none.</param>
/// <param name="Count">
/// How many changes (or events, with <see cref="SubscriptionEventKind.Missed"/>); 0 if not applicable.
/// </param>
/// <param name="Position">
/// The position of the last change that the event concerns, or the settled position; 0 if not applicable.
/// </param>
/// <param name="Detail">Details in words.</param>
public sealed record SubscriptionEvent(
    SubscriptionEventKind Kind,
    string Subscription,
    DateTimeOffset Time,
    string? Worker = null,
    long Count = 0,
    long Position = 0,
    string? Detail = null
);
