namespace Pipeline.Storage;

/// <summary>Figures of an environment at one moment; counters run from its opening.</summary>
public sealed record StorageStatistics
{
    /// <summary>The last transaction that is durable and visible to new readers.</summary>
    public long LastCommittedTransaction { get; init; }

    /// <summary>The last transaction that the data file holds; recovery starts after it.</summary>
    public long CheckpointTransaction { get; init; }

    /// <summary>Pages of the data file in use or free, up to the highest ever used.</summary>
    public long PageCount { get; init; }

    /// <summary>Pages among <see cref="PageCount"/> that are free.</summary>
    public long FreePages { get; init; }

    /// <summary>Bytes of the data file, including preallocated space.</summary>
    public long DataFileBytes { get; init; }

    /// <summary>Pages in use.</summary>
    public long UsedPages => PageCount - FreePages;

    /// <summary>Bytes of the pages in use.</summary>
    public long UsedBytes => UsedPages << PageLayout.PageShift;

    /// <summary>
    /// Bytes that the data file takes on the device: fewer than <see cref="DataFileBytes"/> if free space was released.
    /// Equal to it if unknown.
    /// </summary>
    public long DataFileAllocatedBytes { get; init; }

    /// <summary>Bytes of free space released to the file system since the opening.</summary>
    public long PunchedBytes { get; init; }

    /// <summary>Bytes of the free pages.</summary>
    public long FreeBytes => FreePages << PageLayout.PageShift;

    /// <summary>
    /// Bytes of <see cref="FreeBytes"/> that occupy no space on the device, as the file system reports it. Includes
    /// space released before the opening.
    /// </summary>
    public long HoleBytes => Math.Clamp(DataFileBytes - DataFileAllocatedBytes, 0, FreeBytes);

    /// <summary>Whether the file system can punch holes, as far as tried since the opening.</summary>
    public bool CanPunchHoles { get; init; }

    /// <summary>Journal bytes that recovery would read now.</summary>
    public long UnflushedJournalBytes { get; init; }

    /// <summary>
    /// Bytes of page versions in memory, and of former pages of the data file that open readers need.
    /// </summary>
    public long ScratchBytes { get; init; }

    /// <summary>Bytes of decrypted pages of the data file in memory; 0 where the store is plain.</summary>
    public long PlainPageBytes { get; init; }

    /// <summary>The generation of the data key that pages are written under; null where the store is plain.</summary>
    public int? DataKeyGeneration { get; init; }

    /// <summary>Whether pages are still being brought under the newest data key.</summary>
    public bool IsDataKeyChanging { get; init; }

    /// <summary>Transactions committed.</summary>
    public long Transactions { get; init; }

    /// <summary>Operations committed; more than transactions where writers were grouped.</summary>
    public long Operations { get; init; }

    /// <summary>Journal bytes written.</summary>
    public long JournalBytesWritten { get; init; }

    /// <summary>Bytes of journal records that were compressed.</summary>
    public long JournalBytesCompressed { get; init; }

    /// <summary>What <see cref="JournalBytesCompressed"/> have come to.</summary>
    public long JournalBytesAfterCompression { get; init; }

    /// <summary>
    /// Why the journal is not compressed though <see cref="StorageOptions.JournalCompression"/> asks for it, or null.
    /// </summary>
    public string? JournalCompressionProblem { get; init; }

    /// <summary>Flushes of the data file.</summary>
    public long Flushes { get; init; }

    /// <summary>Pages that flushes wrote.</summary>
    public long PagesFlushed { get; init; }

    /// <summary>Read transactions open.</summary>
    public int OpenReaders { get; init; }

    /// <summary>The snapshot of the oldest open reader, or null.</summary>
    public long? OldestReaderTransaction { get; init; }

    /// <summary>How long the oldest reader has been open, or null.</summary>
    public TimeSpan? OldestReaderAge { get; init; }

    /// <summary>The open read transactions, oldest snapshot first, with what each holds back.</summary>
    public IReadOnlyList<ReaderStatistics> Readers { get; init; } = [];

    /// <summary>The findings of scrubs since the opening.</summary>
    public ScrubStatistics? Scrub { get; init; }

    /// <summary>Writes that were refused because there was no room on the disk.</summary>
    public long Refusals { get; init; }

    /// <summary>The last of them, or null.</summary>
    public StorageRefusal? LastRefusal { get; init; }

    /// <summary>Why writes are refused, or null.</summary>
    public StorageFailedException? Failure { get; init; }
}
