namespace Pipeline.Documents;

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
    IReadOnlyList<CollectionStatistics> Collections
)
{
    /// <summary>Kept versions that others have replaced.</summary>
    public long Revisions { get; init; }

    /// <summary>Attachments of documents.</summary>
    public long Attachments { get; init; }

    /// <summary>Different contents among them, each stored once.</summary>
    public long AttachmentContents { get; init; }

    /// <summary>Compare-exchange values.</summary>
    public long CompareExchangeValues { get; init; }
}

/// <summary>One collection's figures.</summary>
/// <param name="Name">The collection.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Tombstones">Tombstones of it in the change feed.</param>
public sealed record CollectionStatistics(string Name, long Documents, long Tombstones)
{
    /// <summary>Kept versions in it that others have replaced.</summary>
    public long Revisions { get; init; }
}
