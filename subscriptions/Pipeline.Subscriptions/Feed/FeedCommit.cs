namespace Pipeline.Subscriptions;

/// <summary>What is stored in one durable transaction of a feed's database.</summary>
/// <param name="Documents">
/// Documents to put, as (id, UTF-8 JSON with <c>@metadata</c>); an existing document with that id is replaced.
/// </param>
/// <param name="StateKey">
/// The key of the private state to set; <see langword="null"/> to set none. State does not appear in the feed.
/// </param>
/// <param name="State">Its new value.</param>
public sealed record FeedCommit(
    IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> Documents,
    string? StateKey,
    ReadOnlyMemory<byte> State
)
{
    /// <summary>Further deletions and private states.</summary>
    public FeedEffects Effects { get; init; } = FeedEffects.None;
}
