namespace Pipeline.Cluster;

/// <summary>Whether bytes from the log are a record.</summary>
public enum RecordCheck
{
    /// <summary>The bytes are a whole record.</summary>
    Sound,

    /// <summary>The bytes are no record of Pipeline. All nodes ignore them.</summary>
    Foreign,

    /// <summary>
    /// The record has changed. The node must stop and read it again: if it ignored a record that other nodes accept,
    /// its data would differ from theirs.
    /// </summary>
    Damaged,
}
