namespace Pipeline.Subscriptions;

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
