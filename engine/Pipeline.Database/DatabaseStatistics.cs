namespace Pipeline.Database;

/// <summary>A snapshot's figures. The counts are kept with the documents, in the same commits.</summary>
/// <param name="Documents">Documents.</param>
/// <param name="Tombstones">Tombstones in the change feed.</param>
/// <param name="LastPosition">The last change's position; 0 before the first.</param>
/// <param name="SizeOnDisk">Bytes of the data file, and of the journal that is not yet in it.</param>
/// <param name="Collections">Each collection that was ever used, by name.</param>
public sealed record DatabaseStatistics(
    long Documents,
    long Tombstones,
    long LastPosition,
    long SizeOnDisk,
    IReadOnlyList<CollectionStatistics> Collections)
{
    /// <summary>Kept versions that others have replaced.</summary>
    public long Revisions { get; init; }
}
