namespace Pipeline.Storage;

/// <summary>The kinds of file operations of a store.</summary>
public enum IoKind
{
    /// <summary>One journal entry, or 1 GiB of one, written.</summary>
    JournalWrite,

    /// <summary>
    /// The sync that makes journal entries durable; its size is the bytes written since the previous sync.
    /// </summary>
    JournalSync,

    /// <summary>Journal files made ready in advance: zeros, headers, their syncs.</summary>
    JournalPrepare,

    /// <summary>Neighbouring pages written to the data file in one write.</summary>
    DataWrite,

    /// <summary>A sync of the data file; its size is the bytes written since the previous sync.</summary>
    DataSync,

    /// <summary>A whole flush to the data file: writes, syncs, meta page.</summary>
    Flush,

    /// <summary>Releasing free space of the data file to the file system.</summary>
    PunchHole,
}
