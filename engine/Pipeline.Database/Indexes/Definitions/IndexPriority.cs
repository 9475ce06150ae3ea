namespace Pipeline.Database.Indexes;

/// <summary>Which index is updated first when several have a backlog.</summary>
public enum IndexPriority
{
    /// <summary>After the others.</summary>
    Low = 0,

    /// <summary>In turn.</summary>
    Normal,

    /// <summary>Before the others.</summary>
    High,
}
