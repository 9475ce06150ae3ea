using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>
/// Changes read together and the items made of them. Once neither the window nor a batch holds any of them, their
/// memory and items are reused. One thread makes the items, before others see them; the rest is thread-safe.
/// </summary>
/// <remarks>
/// A batch whose worker lost its lease is never released: the garbage collector frees it, so a hung worker never sees
/// another document.
/// </remarks>
internal sealed class SharedChanges(Action<SharedChanges> takeBack)
{
    private DeliveryItem?[] _items = [];
    private ChangeBatch? _batch;
    private int _count;
    private int _uses;

    /// <summary>Starts to hold a batch, with one reference: the reader's.</summary>
    public void Begin(ChangeBatch batch)
    {
        (_batch, _count, _uses) = (batch, 0, 1);
        if (_items.Length < batch.Count)
            Array.Resize(ref _items, batch.Count);
    }

    /// <summary>Makes an item of a change of the batch.</summary>
    public DeliveryItem Make(in Change change, ReadOnlyMemory<byte> payload)
    {
        var item = _items[_count] ??= new DeliveryItem();
        item.Begin(change, payload, this, _count++);
        return item;
    }

    /// <summary>Excludes an item that now owns its memory from reuse.</summary>
    public void Forget(int slot) => _items[slot] = null;

    public void Use() => Interlocked.Increment(ref _uses);

    public void Release()
    {
        if (Interlocked.Decrement(ref _uses) != 0)
            return;
        _batch!.Dispose();
        _batch = null;
        for (var i = 0; i < _count; i++)
            _items[i]?.End();
        takeBack(this);
    }
}
