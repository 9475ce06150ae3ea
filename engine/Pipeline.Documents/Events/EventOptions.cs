namespace Pipeline.Documents.Events;

/// <summary>How a database keeps events. Read once, at opening.</summary>
public sealed record EventOptions
{
    /// <summary>The keys of encrypted streams; null where no stream is encrypted.</summary>
    public IStreamKeys? Keys { get; init; }

    /// <summary>
    /// Which streams are encrypted from now on, by id; called on committing threads. Null for all, if
    /// <see cref="Keys"/> is set.
    /// </summary>
    public Func<string, bool>? Encrypt { get; init; }

    /// <summary>Events or snapshots that one commit of a deletion removes, at most. Default 2,000.</summary>
    public int DeleteBatch { get; init; } = 2_000;
}
