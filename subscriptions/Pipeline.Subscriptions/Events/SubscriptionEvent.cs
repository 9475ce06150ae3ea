namespace Pipeline.Subscriptions;

/// <summary>Something that happened to a subscription.</summary>
/// <param name="Kind">What.</param>
/// <param name="Subscription">Which one; empty with <see cref="SubscriptionEventKind.Missed"/>.</param>
/// <param name="Time">When, by the host's clock.</param>
/// <param name="Worker">The worker, where it is one's matter.</param>
/// <param name="Count">How many changes (or events, with <see cref="SubscriptionEventKind.Missed"/>); 0 where that says nothing.</param>
/// <param name="Position">The position of the last change that it is about, or how far all is dealt with; 0 where that says nothing.</param>
/// <param name="Detail">More, for people.</param>
public sealed record SubscriptionEvent(
    SubscriptionEventKind Kind, string Subscription, DateTimeOffset Time, string? Worker = null, long Count = 0, long Position = 0, string? Detail = null);
