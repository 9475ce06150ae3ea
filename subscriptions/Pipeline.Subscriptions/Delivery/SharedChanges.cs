using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>Changes read together, whose pooled memory goes back when none of them is needed any more. Thread-safe.</summary>
internal sealed class SharedChanges(ChangeBatch batch)
{
    private int _uses = 1;

    public ChangeBatch Batch => batch;

    public void Use() => Interlocked.Increment(ref _uses);

    public void Release()
    {
        if (Interlocked.Decrement(ref _uses) == 0) batch.Dispose();
    }
}
