namespace Pipeline.Database.Indexes;

/// <summary>Which of the indexes that have something to do goes first.</summary>
public enum IndexPriority
{
    /// <summary>After the others.</summary>
    Low = 0,

    /// <summary>In turn.</summary>
    Normal,

    /// <summary>Before the others.</summary>
    High,
}
