using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>
/// Changes read together and the items made of them. When neither the window nor a batch has any of them, their memory goes back and the items are used again.
/// Items are made by one thread, before others know of them; the rest is thread-safe.
/// </summary>
/// <remarks>A batch whose worker lost its lease never lets go: what a hung worker still looks at is left to the collector, and never another document.</remarks>
internal sealed class SharedChanges(Action<SharedChanges> takeBack)
{
    private DeliveryItem?[] _items = [];
    private ChangeBatch? _batch;
    private int _count;
    private int _uses;

    /// <summary>Takes in a batch, with one use: that of its reader.</summary>
    public void Begin(ChangeBatch batch)
    {
        (_batch, _count, _uses) = (batch, 0, 1);
        if (_items.Length < batch.Count) Array.Resize(ref _items, batch.Count);
    }

    /// <summary>An item of a change of the batch.</summary>
    public DeliveryItem Make(in Change change, ReadOnlyMemory<byte> payload)
    {
        DeliveryItem item = _items[_count] ??= new DeliveryItem();
        item.Begin(change, payload, this, _count++);
        return item;
    }

    /// <summary>An item that goes on by itself is not used again here.</summary>
    public void Forget(int slot) => _items[slot] = null;

    public void Use() => Interlocked.Increment(ref _uses);

    public void Release()
    {
        if (Interlocked.Decrement(ref _uses) != 0) return;
        _batch!.Dispose();
        _batch = null;
        for (int i = 0; i < _count; i++) _items[i]?.End();
        takeBack(this);
    }
}
