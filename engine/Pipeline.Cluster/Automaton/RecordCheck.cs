namespace Pipeline.Cluster;

/// <summary>Whether bytes from the log are a record.</summary>
public enum RecordCheck
{
    /// <summary>They are a whole record.</summary>
    Sound,

    /// <summary>Something else was written to the log. All nodes pass it over.</summary>
    Foreign,

    /// <summary>
    /// They are a record that has changed. The node must stop and read it again: if it passed the record over while
    /// other nodes accept it, it would differ from them.
    /// </summary>
    Damaged,
}
