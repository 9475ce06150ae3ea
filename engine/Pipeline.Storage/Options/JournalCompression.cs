namespace Pipeline.Storage;

/// <summary>
/// Whether entries of the journal are compressed (Zstandard, the fastest level). Each entry says for itself whether it
/// is; any store can be opened with any setting.
/// </summary>
public enum JournalCompression
{
    /// <summary>None is.</summary>
    Off,

    /// <summary>
    /// Large entries are, as long as that saves at least a tenth of the time from their preparation to their sync; both
    /// ways are tried now and then.
    /// </summary>
    Auto,

    /// <summary>All large entries are that shrink by it: least is written, whatever the time.</summary>
    On,
}
