namespace Pipeline.Database.Indexes;

/// <summary>The effect of putting a new definition over an existing one.</summary>
public enum IndexLockMode
{
    /// <summary>It replaces the existing one.</summary>
    Unlock = 0,

    /// <summary>It is ignored.</summary>
    LockedIgnore,

    /// <summary>It is an error.</summary>
    LockedError,
}
