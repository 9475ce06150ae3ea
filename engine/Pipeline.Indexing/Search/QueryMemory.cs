namespace Pipeline.Indexing;

/// <summary>The memory that one query holds, against its limit. One thread at a time.</summary>
internal sealed class QueryMemory(long limit)
{
    /// <summary>How much is held.</summary>
    public long Held { get; private set; }

    /// <summary>The most that was held at once.</summary>
    public long Peak { get; private set; }

    /// <summary>Takes some.</summary>
    /// <param name="bytes">How much.</param>
    /// <param name="step">What for, in the words of the plan.</param>
    /// <exception cref="QueryLimitException">It would be more than the limit.</exception>
    public void Reserve(long bytes, string step)
    {
        if (Held + bytes > limit) throw new QueryLimitException(nameof(SearchOptions.MaxMemoryBytes), limit, Held + bytes, step);
        Held += bytes;
        if (Held > Peak) Peak = Held;
    }

    /// <summary>Gives some back.</summary>
    /// <param name="bytes">How much.</param>
    public void Release(long bytes) => Held -= bytes;
}
