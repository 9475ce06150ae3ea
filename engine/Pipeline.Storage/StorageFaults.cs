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

    /// <summary>Write pages to the data file though an older reader still needs what it holds.</summary>
    FlushPastReaders = 4,

    /// <summary>Write the meta page without having synced the pages it vouches for.</summary>
    MetaBeforeDataSync = 8,

    /// <summary>Give back space that is free as of the last commit, though readers since the checkpoint may need it.</summary>
    PunchPastReaders = 16,

    /// <summary>Use space that was given back without having reserved it again.</summary>
    UseHolesUnreserved = 32,

    /// <summary>Cut versions off that a flush past readers has written, though new readers then meet the frozen pages.</summary>
    CutAboveFrozenPages = 64,
}
