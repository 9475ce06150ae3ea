namespace Pipeline.Subscriptions;

/// <summary>What is stored in one durable transaction of a feed's database.</summary>
/// <param name="Documents">Documents to put, as (id, UTF-8 JSON with <c>@metadata</c>); an existing one of that id is replaced.</param>
/// <param name="StateKey">The key of the private state to set; <see langword="null"/> to set none. State makes no change in the feed.</param>
/// <param name="State">Its new value.</param>
public sealed record FeedCommit(IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> Documents, string? StateKey, ReadOnlyMemory<byte> State)
{
    /// <summary>What is stored beside the rest.</summary>
    public FeedEffects Effects { get; init; } = FeedEffects.None;
}
