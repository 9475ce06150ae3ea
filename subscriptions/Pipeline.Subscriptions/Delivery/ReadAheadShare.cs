namespace Pipeline.Subscriptions;

/// <summary>
/// How many bytes each subscription of a host may read ahead, so that all together stay within a limit. Thread-safe.
/// </summary>
/// <param name="most">The most bytes of all subscriptions.</param>
internal sealed class ReadAheadShare(long most)
{
    /// <summary>The most bytes of one subscription; one more change may exceed it.</summary>
    public const int MaxBytes = 32 << 20;

    private const int LeastBytes = 16 << 10;
    private int _subscriptions;

    /// <summary>The present share of a subscription.</summary>
    public int Bytes => (int)Math.Clamp(most / Math.Max(1, Volatile.Read(ref _subscriptions)), LeastBytes, MaxBytes);

    /// <summary>Adds a subscription.</summary>
    public void Join() => Interlocked.Increment(ref _subscriptions);

    /// <summary>Removes a subscription.</summary>
    public void Leave() => Interlocked.Decrement(ref _subscriptions);
}
