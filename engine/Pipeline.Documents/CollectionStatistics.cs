namespace Pipeline.Documents;

/// <summary>One collection's figures.</summary>
/// <param name="Name">The collection.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Tombstones">Tombstones of it in the change feed.</param>
public sealed record CollectionStatistics(string Name, long Documents, long Tombstones)
{
    /// <summary>Kept versions in it that others have replaced.</summary>
    public long Revisions { get; init; }
}
