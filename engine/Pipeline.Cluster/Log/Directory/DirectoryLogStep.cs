namespace Pipeline.Cluster;

/// <summary>The steps of an append to a <see cref="DirectoryLog"/>.</summary>
internal enum DirectoryLogStep
{
    /// <summary>The lock is held and the tail was examined.</summary>
    Locked,

    /// <summary>Half of the record's bytes were written. Only with <see cref="DirectoryLogOptions.AtStep"/>.</summary>
    Half,

    /// <summary>All bytes were written.</summary>
    Written,

    /// <summary>They were synced.</summary>
    Synced,

    /// <summary>The new end was published.</summary>
    Published,
}
