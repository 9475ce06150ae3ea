namespace Pipeline.Cluster;

/// <summary>The kind of a record of the log. The numbers are those in the bytes.</summary>
public enum RecordKind : byte
{
    /// <summary>A process asks to lead from here on.</summary>
    Claim = 1,

    /// <summary>A transaction, or one of its parts.</summary>
    Entry = 2,

    /// <summary>The leader is alive: a heartbeat.</summary>
    Beat = 3,

    /// <summary>The leader steps down for a named successor.</summary>
    Handover = 4,

    /// <summary>A shard is split.</summary>
    Fork = 5,

    /// <summary>Records and entries may use a newer format from here on.</summary>
    Feature = 6,

    /// <summary>Another log continues this one.</summary>
    NextLog = 7,

    /// <summary>The log begins with a store that has transactions. Only the first record of a log can be one.</summary>
    Begin = 8,
}
