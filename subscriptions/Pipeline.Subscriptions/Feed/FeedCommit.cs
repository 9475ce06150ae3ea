using Pipeline.Scripting;

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

/// <summary>
/// A change: the document's state in the snapshot, or its deletion. Valid until its snapshot is disposed.
/// </summary>
/// <param name="Position">The change's position.</param>
/// <param name="Document">The document, or its deletion.</param>
/// <param name="Bytes">Its size in the database.</param>
public readonly record struct FeedChange(long Position, ScriptDocument Document, int Bytes);

/// <summary>Deletions and private states that commit with a cursor's position. Immutable.</summary>
public sealed record FeedEffects
{
    /// <summary>An instance that changes nothing.</summary>
    public static FeedEffects None { get; } = new();

    /// <summary>
    /// Documents to delete, as (id, position of the expected version; 0 for any). A document that no longer exists or
    /// has another version is left alone.
    /// </summary>
    public IReadOnlyList<KeyValuePair<string, long>> Deletes { get; init; } = [];

    /// <summary>Private states to set; an empty value removes one.</summary>
    public IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> States { get; init; } = [];

    /// <summary>Whether there is nothing to do.</summary>
    public bool IsEmpty => Deletes.Count == 0 && States.Count == 0;
}

/// <summary>
/// A range of positions after the acknowledged one in which every change is settled or does not match.
/// </summary>
/// <param name="From">The first.</param>
/// <param name="To">The last.</param>
internal readonly record struct DoneRange(long From, long To);
