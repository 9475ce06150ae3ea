namespace Pipeline.Cluster;

/// <summary>What is known of a record after an append.</summary>
public readonly record struct AppendAnswer
{
    private AppendAnswer(AppendOutcome outcome, long place, Exception? cause) =>
        (Outcome, Place, Cause) = (outcome, place, cause);

    /// <summary>Where the record is, if anywhere.</summary>
    public AppendOutcome Outcome { get; }

    /// <summary>The record's place if <see cref="Outcome"/> is <see cref="AppendOutcome.At"/>; otherwise −1.</summary>
    public long Place { get; }

    /// <summary>Why the outcome is unknown, if the log said so.</summary>
    public Exception? Cause { get; }

    /// <summary>The log keeps the record at this place, which may not be the expected one.</summary>
    public static AppendAnswer At(long place) => new(AppendOutcome.At, place, null);

    /// <summary>The log has moved on, and the record is not in it and never will be.</summary>
    public static AppendAnswer Moved => new(AppendOutcome.Moved, -1, null);

    /// <summary>The record may be in the log, may land later, or may never land.</summary>
    public static AppendAnswer Unknown(Exception? cause = null) => new(AppendOutcome.Unknown, -1, cause);
}

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
