namespace Pipeline.Cluster;

/// <summary>What is known of a record after an append.</summary>
public enum AppendOutcome
{
    /// <summary>
    /// Nothing is known: an error, a timeout, a lost answer. The record may be in the log, may land later, or may never
    /// land. It is the default, so that a forgotten answer claims nothing.
    /// </summary>
    Unknown,

    /// <summary>
    /// The record is kept at a known place. A log that cannot append conditionally gives this answer for unexpected
    /// places, too.
    /// </summary>
    At,

    /// <summary>The expected place was taken, and the record was not appended.</summary>
    Moved,
}
