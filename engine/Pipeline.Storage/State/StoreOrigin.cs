namespace Pipeline.Storage;

/// <summary>How the current life of a store began. See <see cref="StorageEnvironment.Life"/>.</summary>
public enum StoreOrigin
{
    /// <summary>An older program made the store, or opened it last.</summary>
    Unknown,

    /// <summary>The store was made here.</summary>
    Created,

    /// <summary>A restore made it.</summary>
    Restored,

    /// <summary>The data file is a copy of the one that was opened last.</summary>
    Copied,

    /// <summary>An older state of the store was put back over a newer one, in the same folder.</summary>
    PutBack,
}
