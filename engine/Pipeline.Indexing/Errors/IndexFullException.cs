namespace Pipeline.Indexing;

/// <summary>All entry numbers are used up; nothing was changed.</summary>
public sealed class IndexFullException : Exception
{
    /// <summary>Tells the need and the limit.</summary>
    public IndexFullException(long needed, long limit)
        : base(
            $"The index would exceed its limit of {limit} entries, deleted ones included: it needs {needed}. Reset the index, which rebuilds it with new numbers."
        )
    {
        Needed = needed;
        Limit = limit;
    }

    /// <summary>Entries that there would be.</summary>
    public long Needed { get; }

    /// <summary>The most that there may be.</summary>
    public long Limit { get; }
}
