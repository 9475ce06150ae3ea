namespace Pipeline.Cluster;

/// <summary>What a record of the log says. The numbers are those in the bytes.</summary>
public enum RecordKind : byte
{
    /// <summary>A process asks to lead from here on.</summary>
    Claim = 1,

    /// <summary>A transaction, or one of its parts.</summary>
    Entry = 2,

    /// <summary>The leader lives.</summary>
    Beat = 3,

    /// <summary>The leader ends its own time for a named successor.</summary>
    Handover = 4,

    /// <summary>A shard is split.</summary>
    Fork = 5,

    /// <summary>Records and entries may use a newer format from here on.</summary>
    Feature = 6,

    /// <summary>The log goes on under another name.</summary>
    NextLog = 7,

    /// <summary>The log begins with a store that has transactions: the first record, or passed over.</summary>
    Begin = 8,
}
