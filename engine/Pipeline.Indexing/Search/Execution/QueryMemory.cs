namespace Pipeline.Indexing;

/// <summary>The memory that one query holds, against its limit. One thread at a time.</summary>
/// <param name="limit">The most bytes.</param>
/// <param name="onHeld">Receives each change of the memory held; it refuses more by an exception.</param>
internal sealed class QueryMemory(long limit, Action<long>? onHeld = null)
{
    private long _counted;

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
        if (Held + bytes > limit)
            throw new QueryLimitException(nameof(SearchOptions.MaxMemoryBytes), limit, Held + bytes, step);
        onHeld?.Invoke(bytes);
        Held += bytes;
        if (Held > Peak)
            Peak = Held;
    }

    /// <summary>Counts memory of the result, which this limit does not concern.</summary>
    /// <param name="bytes">How much.</param>
    public void Count(long bytes)
    {
        onHeld?.Invoke(bytes);
        _counted += bytes;
    }

    /// <summary>Gives some back.</summary>
    /// <param name="bytes">How much.</param>
    public void Release(long bytes)
    {
        Held -= bytes;
        onHeld?.Invoke(-bytes);
    }

    /// <summary>Gives all of it back.</summary>
    public void ReleaseAll()
    {
        onHeld?.Invoke(-(Held + _counted));
        (Held, _counted) = (0, 0);
    }
}
