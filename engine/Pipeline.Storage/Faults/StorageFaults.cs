namespace Pipeline.Storage;

/// <summary>Bugs that tests plant, to see that the crash tests find them. Never set otherwise.</summary>
[Flags]
internal enum StorageFaults
{
    None = 0,

    /// <summary>Acknowledge commits without having synced the journal.</summary>
    AcknowledgeBeforeSync = 1,

    /// <summary>Believe every page and journal entry without its checksum.</summary>
    IgnoreChecksums = 2,

    /// <summary>Write pages to the data file though an older reader still needs their former contents.</summary>
    FlushPastReaders = 4,

    /// <summary>Write the meta page without having synced the pages it vouches for.</summary>
    MetaBeforeDataSync = 8,

    /// <summary>
    /// Give back space that is free as of the last commit, though readers since the checkpoint may need it.
    /// </summary>
    PunchPastReaders = 16,

    /// <summary>Use released space without reserving it again.</summary>
    UseHolesUnreserved = 32,

    /// <summary>Commit the incomplete changes of an operation that caught an error after a change.</summary>
    CommitIncompleteOperations = 1 << 7,

    /// <summary>Keep the place in the journal of a transaction that could not be sealed.</summary>
    KeepReservedPlace = 1 << 8,

    /// <summary>Freeze pages though the system's pages are larger.</summary>
    FreezeBeyondPages = 1 << 9,

    /// <summary>Use any file in the journal folder, whosever it is.</summary>
    TakeForeignJournal = 1 << 10,

    /// <summary>Choose a snapshot before the slot says so, as a processor may do without a fence.</summary>
    ReaderWithoutFence = 1 << 11,

    /// <summary>Never say in the slot that a snapshot is being chosen.</summary>
    ReaderNotChoosing = 1 << 12,

    /// <summary>Show a transaction to readers before its journal entry is synced.</summary>
    PublishBeforeSync = 1 << 13,

    /// <summary>
    /// Begin to prepare a transaction in the buffer of the one that is being written, after one that could not be
    /// sealed.
    /// </summary>
    ReuseEntryInFlight = 1 << 14,

    /// <summary>Use journal files again before the checkpoint behind them is durable.</summary>
    RecycleBeforeMeta = 1 << 15,

    /// <summary>Use a new journal file without having synced its folder.</summary>
    JournalNameUnsynced = 1 << 16,

    /// <summary>Make a store's folders without syncing those above them.</summary>
    ParentsUnsynced = 1 << 17,

    /// <summary>Give memory of versions back without waiting for readers.</summary>
    FreeAtOnce = 1 << 18,

    /// <summary>Drop replaced versions though open snapshots need them.</summary>
    PrunePastReaders = 1 << 19,

    /// <summary>Write every meta page into the same slot.</summary>
    OneMetaSlot = 1 << 20,

    /// <summary>Let the new checkpoint of an opening go ahead of the pages that it replayed.</summary>
    RecoverWithoutSync = 1 << 21,

    /// <summary>Overwrite pages of an encrypted store without durable copies.</summary>
    NoFlushCopies = 1 << 22,

    /// <summary>
    /// Show a transaction to readers when it is sent to the shared log, before the log has accepted it.
    /// </summary>
    PublishBeforeAcceptance = 1 << 23,

    /// <summary>Apply entries of a shared log without verifying the pages that they change.</summary>
    ApplyUnverified = 1 << 26,

    /// <summary>Apply entries of a shared log without reserving space for new pages.</summary>
    ApplyUnreserved = 1 << 27,

    /// <summary>Flush pages though their entries in the lazily written journal are not synced.</summary>
    FlushBeforeJournal = 1 << 28,

    /// <summary>Answer with an error from a state that the shared log has not accepted.</summary>
    AnswerBeforeAcceptance = 1 << 29,

    /// <summary>
    /// Answer from accepted state without asking whether this node still leads when the answer leaves.
    /// </summary>
    AnswerWithoutLease = 1 << 30,

    /// <summary>Let frozen pages go while readers still need them.</summary>
    ThawEarly = 1 << 24,

    /// <summary>
    /// Say in the slot that a snapshot is being chosen, and choose it, without the fence between the two.
    /// </summary>
    ReaderFenceLeftOut = 1 << 25,

    /// <summary>
    /// Cut versions off that a flush past readers has written, though new readers then meet the frozen pages.
    /// </summary>
    CutAboveFrozenPages = 64,
}
