namespace Pipeline.Subscriptions;

/// <summary>Deletions and private states that commit with a cursor's position. Immutable.</summary>
public sealed record FeedEffects
{
    /// <summary>Nothing.</summary>
    public static FeedEffects None { get; } = new();

    /// <summary>Documents to delete, as (id, position of the version that is meant; 0 for any). One that is gone or has another version stays as it is.</summary>
    public IReadOnlyList<KeyValuePair<string, long>> Deletes { get; init; } = [];

    /// <summary>Private states to set; an empty value removes one.</summary>
    public IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> States { get; init; } = [];

    /// <summary>Whether there is nothing to do.</summary>
    public bool IsEmpty => Deletes.Count == 0 && States.Count == 0;
}
