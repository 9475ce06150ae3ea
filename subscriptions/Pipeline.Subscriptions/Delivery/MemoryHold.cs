namespace Pipeline.Subscriptions;

/// <summary>Keeps the memory of some changes alive until it is released. Not thread-safe.</summary>
internal struct MemoryHold
{
    private SharedChanges? _first;
    private List<SharedChanges>? _others;

    /// <summary>
    /// Holds the memory of these items, which must be in order of position, so that items read together are adjacent.
    /// </summary>
    public static MemoryHold Of(List<DeliveryItem> items)
    {
        var hold = new MemoryHold();
        SharedChanges? last = null;
        foreach (var item in items)
        {
            if (item.Memory is not { } memory || memory == last)
                continue;
            memory.Use();
            last = memory;
            if (hold._first is null)
                hold._first = memory;
            else
                (hold._others ??= []).Add(memory);
        }

        return hold;
    }

    /// <summary>Releases the memory.</summary>
    public void Release()
    {
        _first?.Release();
        foreach (var memory in _others ?? [])
            memory.Release();
        (_first, _others) = (null, null);
    }
}
