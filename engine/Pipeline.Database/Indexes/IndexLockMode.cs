namespace Pipeline.Database.Indexes;

/// <summary>What happens to a definition that is put over one that is there.</summary>
public enum IndexLockMode
{
    /// <summary>It replaces it.</summary>
    Unlock = 0,

    /// <summary>It is ignored.</summary>
    LockedIgnore,

    /// <summary>It is an error.</summary>
    LockedError,
}
