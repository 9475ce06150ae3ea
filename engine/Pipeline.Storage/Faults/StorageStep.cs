namespace Pipeline.Storage;

/// <summary>
/// A place between two steps of the store, where a test can stop, delay or fail it (<see cref="StepHook"/>).
/// </summary>
internal enum StorageStep
{
    /// <summary>An operation has a place in the queue and is about to enter it.</summary>
    PlaceTaken,

    /// <summary>Memory for a page version is about to be taken.</summary>
    VersionRent,

    /// <summary>A buffer of the journal is about to grow.</summary>
    BufferGrowth,

    /// <summary>A transaction is about to begin.</summary>
    Begin,

    /// <summary>Operations were run; the transaction is about to be sealed.</summary>
    Sealing,

    /// <summary>The pages are complete; a place in the journal is about to be taken.</summary>
    Reserving,

    /// <summary>The next journal file is about to become the current one.</summary>
    FileSwitch,

    /// <summary>The place in the journal is taken; the entry is not complete.</summary>
    Reserved,

    /// <summary>The entry is complete; the transaction is not yet the last sealed one.</summary>
    Finished,

    /// <summary>The transaction is sealed and waits for its turn to be written.</summary>
    Sealed,

    /// <summary>The entry is about to be written.</summary>
    JournalWrite,

    /// <summary>The entry is written and not synced.</summary>
    JournalWritten,

    /// <summary>The entry is synced; no caller or reader has seen it.</summary>
    JournalSynced,

    /// <summary>Readers see the transaction; the flush does not know of it.</summary>
    Published,

    /// <summary>The flush is about to take the transaction over.</summary>
    Queueing,

    /// <summary>The flush knows of the transaction; its callers wait.</summary>
    Queued,

    /// <summary>The callers know that their operations are durable.</summary>
    Acknowledged,

    /// <summary>Versions that a published transaction replaced are about to be looked for.</summary>
    Prune,

    /// <summary>The open snapshots are known.</summary>
    SnapshotsCopied,

    /// <summary>Versions have left the table; they are still in the list of those to be freed at the end.</summary>
    Unlinked,

    /// <summary>Versions that are not in the table are about to wait for readers.</summary>
    Retire,

    /// <summary>Memory of versions is about to be freed.</summary>
    Reclaim,

    /// <summary>The lock of the flush is about to be taken.</summary>
    FlushLock,

    /// <summary>The flush has its lock.</summary>
    FlushLocked,

    /// <summary>The flush gave its lock back.</summary>
    FlushUnlocked,

    /// <summary>The flush knows the published transaction, but not yet the readers.</summary>
    FlushBegun,

    /// <summary>The flush knows the oldest snapshot.</summary>
    OldestKnown,

    /// <summary>The transactions to flush are known; their pages are not.</summary>
    FlushTaken,

    /// <summary>The versions to write are known.</summary>
    VersionsKnown,

    /// <summary>Pages that older readers need are kept; nothing is written.</summary>
    PagesFrozen,

    /// <summary>Copies of pages are durable; the data file is untouched.</summary>
    PagesProtected,

    /// <summary>Pages are written to the data file and not synced.</summary>
    PagesWritten,

    /// <summary>Pages are durable; the meta page is not written.</summary>
    PagesSynced,

    /// <summary>The meta page is written and not synced.</summary>
    MetaWritten,

    /// <summary>The checkpoint is durable; versions are still in the table.</summary>
    MetaSynced,

    /// <summary>Versions have left the table; the checkpoint is not yet the store's.</summary>
    TableCut,

    /// <summary>The checkpoint is the store's; journal files are not yet spare.</summary>
    CheckpointSet,

    /// <summary>Journal files are spare; the flush is not noted.</summary>
    Recycled,

    /// <summary>A frozen range is about to show the file again.</summary>
    Thaw,

    /// <summary>Space is about to be returned to the file system.</summary>
    ReleaseSpace,

    /// <summary>A reader has a slot and no snapshot.</summary>
    ReaderClaimed,

    /// <summary>A reader's slot says that it is about to choose a snapshot.</summary>
    ReaderChoosing,

    /// <summary>A reader knows its snapshot; its slot does not.</summary>
    ReaderChosen,

    /// <summary>A reader's slot has its snapshot.</summary>
    ReaderEntered,

    /// <summary>A thread that scans the slots is about to read the next one.</summary>
    SlotRead,

    /// <summary>A thread that scans the slots waits for a reader to choose.</summary>
    SlotWait,

    /// <summary>The lock of the store is taken; nothing was read.</summary>
    OpenLocked,

    /// <summary>The meta page is known.</summary>
    OpenMeta,

    /// <summary>Copies of an interrupted flush are in their places; the journal is about to be replayed.</summary>
    OpenReplay,

    /// <summary>The journal is replayed into memory; pages are about to be written.</summary>
    OpenReplayed,

    /// <summary>The replayed pages are durable; the journal is about to begin a new file.</summary>
    OpenRecovered,

    /// <summary>There is a new journal file that no meta page names.</summary>
    OpenJournal,

    /// <summary>The meta page names the new journal file and is durable.</summary>
    OpenCheckpoint,

    /// <summary>All is recovered; threads are about to start.</summary>
    OpenStart,
}
