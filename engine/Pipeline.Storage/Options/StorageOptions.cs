using Microsoft.Extensions.Logging;

namespace Pipeline.Storage;

/// <summary>Where a store lies and the limits it keeps. Read once, at opening.</summary>
public sealed record StorageOptions
{
    /// <summary>The store's folder, created where missing; null keeps everything in memory, gone at disposal.</summary>
    public string? Path { get; init; }

    /// <summary>
    /// The folder of the journal files; null is <c>journal</c> within <see cref="Path"/>. A separate disk is best.
    /// </summary>
    public string? JournalPath { get; init; }

    /// <summary>The files; null means real files if <see cref="Path"/> is set, otherwise memory.</summary>
    public IStorageFiles? Files { get; init; }

    /// <summary>
    /// Whether opening detects a copy of the store, or an older state that was put back over it, and begins another
    /// <see cref="StorageEnvironment.Life"/>. Each opening leaves an empty file <c>N.opened</c> in the folder. Default
    /// false.
    /// </summary>
    public bool KeepsLife { get; init; }

    /// <summary>Encryption at rest; null for a plain store. A store is one or the other from its making on.</summary>
    public StorageEncryption? Encryption { get; init; }

    /// <summary>
    /// Whether the store is a replica of a shared log. It opens as a follower: it takes no writes until
    /// <see cref="StorageEnvironment.Lead"/>. What the log has accepted counts as durable, so the local journal is
    /// written without syncing each entry. Default false.
    /// </summary>
    public bool IsReplica { get; init; }

    /// <summary>
    /// Whether the folder of a cluster's node may be opened without <see cref="IsReplica"/>: its writes reach no other
    /// node. For a store that is about to begin another log. Default false.
    /// </summary>
    public bool OpensReplicaAlone { get; init; }

    /// <summary>
    /// The most entries on their way to the shared log at once. The next transaction collects writes meanwhile. Default
    /// 2.
    /// </summary>
    public int AppendWindow { get; init; } = 2;

    /// <summary>
    /// The same where the next entry has more than 64 KiB: for large entries it is the rate of the network that counts.
    /// Default 5.
    /// </summary>
    public int WideAppendWindow { get; init; } = 5;

    /// <summary>The clock, for ages, intervals and the lock's text.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Where to log; null logs nothing.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The most bytes of changed pages in one transaction. Default 1 GiB.</summary>
    public long MaxTransactionBytes { get; init; } = 1L << 30;

    /// <summary>
    /// Operations are merged into one transaction until it holds this many bytes of changed pages. Default 8 MiB.
    /// </summary>
    public long MaxMergedBytes { get; init; } = 8L << 20;

    /// <summary>
    /// The most operations that may wait to be committed; more wait asynchronously for a place. Default 16,384.
    /// </summary>
    public int MaxQueuedOperations { get; init; } = 16384;

    /// <summary>Journal bytes at which the background flush to the data file begins. Default 64 MiB.</summary>
    public long FlushJournalBytes { get; init; } = 64L << 20;

    /// <summary>
    /// Journal bytes not yet flushed at which writers wait for the flush, which then goes past open readers; it bounds
    /// recovery. Default 256 MiB.
    /// </summary>
    public long MaxUnflushedJournalBytes { get; init; } = 256L << 20;

    /// <summary>
    /// The age of the oldest commit not yet flushed at which writers wait for the flush, as for
    /// <see cref="MaxUnflushedJournalBytes"/>. Default 30 s.
    /// </summary>
    public TimeSpan MaxUnflushedJournalAge { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Bytes of page versions in memory at which the background flush begins. Default 256 MiB.</summary>
    public long FlushScratchBytes { get; init; } = 256L << 20;

    /// <summary>
    /// Bytes of page versions, and of former pages that open readers need, in memory at which writes are refused: old
    /// readers hold back too much. Default 8 GiB.
    /// </summary>
    public long MaxScratchBytes { get; init; } = 8L << 30;

    /// <summary>
    /// How often a store with little load flushes to the data file. A flush that readers hold back for longer proceeds
    /// past them. Default 5 s.
    /// </summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Bytes of the first journal file, and of those under low load. Default 1 MiB.</summary>
    public long InitialJournalFileBytes { get; init; } = 1L << 20;

    /// <summary>
    /// Bytes of the largest journal files, used under high load; a larger transaction gets a separate file. Default 32
    /// MiB.
    /// </summary>
    public long MaxJournalFileBytes { get; init; } = 32L << 20;

    /// <summary>
    /// The most bytes of journal files that are kept for those who hold the journal
    /// (<see cref="StorageEnvironment.HoldLog(string)"/>) and for nothing else. Over it those who need the oldest lose
    /// their hold, which is logged. Default 4 GiB.
    /// </summary>
    public long MaxHeldJournalBytes { get; init; } = 4L << 30;

    /// <summary>
    /// Whether entries of the journal of 16 KiB and more are compressed. Needs the system's libzstd; without it none
    /// is, which is logged and shown in
    /// <see cref="StorageStatistics.JournalCompressionProblem"/>. Default <see cref="JournalCompression.Auto"/>.
    /// </summary>
    public JournalCompression JournalCompression { get; init; } = JournalCompression.Auto;

    /// <summary>Bytes by which the data file grows at first; steps grow with the file. Default 1 MiB.</summary>
    public long InitialDataFileBytes { get; init; } = 1L << 20;

    /// <summary>The largest step by which the data file grows. Default 128 MiB.</summary>
    public long MaxGrowthBytes { get; init; } = 128L << 20;

    /// <summary>The largest data file. Default 1 TiB.</summary>
    public long MaxDataFileBytes { get; init; } = 1L << 40;

    /// <summary>
    /// Address space that is reserved for the data file at first; it is at least four times the file. A file that
    /// outgrows it is mapped anew with eight times as much, up to <see cref="MaxDataFileBytes"/>. A process has 128 TiB
    /// of address space for all its stores. Default 16 GiB.
    /// </summary>
    public long MappedBytes { get; init; } = 16L << 30;

    /// <summary>
    /// Give free space of the data file back to the file system: chunks of 512 KiB after flushes, at most each
    /// <see cref="FlushInterval"/>; single free pages of 8 KiB once nobody has written for that long, and every 30 s
    /// while somebody writes. Before it is used again it is reserved again. Nothing where the file system cannot.
    /// Default true.
    /// </summary>
    public bool PunchHoles { get; init; } = true;

    /// <summary>The most read transactions open at once. Default 4,096.</summary>
    public int MaxReaders { get; init; } = 4096;

    /// <summary>
    /// The longest time that a reader may be open; then it gets a <see cref="ReaderExpiredException"/> at its next
    /// page. Looked at every <see cref="FlushInterval"/>. Default: none.
    /// </summary>
    public TimeSpan? MaxReaderAge { get; init; }

    /// <summary>
    /// The most bytes of page versions that a reader may hold back; then as <see cref="MaxReaderAge"/>. Default: none.
    /// </summary>
    public long? MaxReaderHeldBytes { get; init; }

    /// <summary>
    /// The number of pages whose disk space is released together: a power of two up to 64, so that their bits fit one
    /// word. Default 64: 512 KiB.
    /// </summary>
    internal int PagesPerChunk { get; init; } = 64;

    /// <summary>
    /// How long after a scrub in the background the next one begins, at most 49 days; null for none. The first one
    /// begins an hour after the opening, or after the interval if that is shorter. Default 7 days: otherwise damage in
    /// pages that nobody reads would be found when the last sound backup is gone. A store in memory is not scrubbed.
    /// </summary>
    public TimeSpan? ScrubInterval { get; init; } = TimeSpan.FromDays(7);

    /// <summary>
    /// The most bytes that a scrub in the background reads in a second. Default 8 MiB, which other work hardly feels: a
    /// day for 660 GiB.
    /// </summary>
    public long ScrubBytesPerSecond { get; init; } = 8L << 20;

    /// <summary>
    /// Prepare journal files on the committing thread, so that a test's order of writes is the same each time.
    /// </summary>
    internal bool Deterministic { get; init; }

    /// <summary>
    /// How long a transaction waits for a next operation of those that blocked for the one before it.
    /// </summary>
    internal TimeSpan ReturnTimeout { get; init; } = TimeSpan.FromMicroseconds(40);

    /// <summary>
    /// Start no threads: the environment writes only by <see cref="StorageEnvironment.TryTakeTurn"/> and by
    /// <see cref="StorageEnvironment.Apply"/>, and flushes only when it must. For tests that open very often, or decide
    /// all that happens.
    /// </summary>
    internal bool Threadless { get; init; }

    /// <summary>Wipe freed memory of page versions, so that a test notices reads after the release.</summary>
    internal bool WipeVersions { get; init; }

    /// <summary>Do as if the system had no libzstd.</summary>
    internal bool WithoutZstd { get; init; }

    /// <summary>Bugs planted by tests.</summary>
    internal StorageFaults Faults { get; init; }
}
