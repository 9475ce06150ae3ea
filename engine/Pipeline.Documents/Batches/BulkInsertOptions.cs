namespace Pipeline.Documents;

/// <summary>How a bulk insert groups documents into commits.</summary>
public sealed record BulkInsertOptions
{
    /// <summary>Documents of one commit, at most. Default 4,096.</summary>
    public int BatchCount { get; init; } = 4096;

    /// <summary>Bytes of documents in one commit; a single document may be larger. Default 2 MiB.</summary>
    public int BatchBytes { get; init; } = 2 * 1024 * 1024;

    /// <summary>Commits in progress at once; more make <see cref="BulkInsert.StoreAsync"/> wait. Default 2.</summary>
    public int MaxBatchesInFlight { get; init; } = 2;

    /// <summary>
    /// Whether a document that exists with the same content is skipped: it gets no new version and is no change.
    /// Default false.
    /// </summary>
    public bool SkipsUnchanged { get; init; }
}
