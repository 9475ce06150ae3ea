using System.Collections.Immutable;
using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Pipeline.Subscriptions;

/// <summary>
/// Publishes events to followers. Thread-safe; costs nothing without followers, and never waits for one.
/// </summary>
internal sealed class SubscriptionEvents(TimeProvider time)
{
    private ImmutableArray<Follower> _followers = [];

    /// <summary>Whether there are followers; without any, events need not be created.</summary>
    public bool HasFollowers => !_followers.IsEmpty;

    public void Add(
        SubscriptionEventKind kind,
        string subscription,
        string? worker = null,
        long count = 0,
        long position = 0,
        string? detail = null
    )
    {
        var followers = _followers;
        if (followers.IsEmpty)
            return;
        var what = new SubscriptionEvent(kind, subscription, time.GetUtcNow(), worker, count, position, detail);
        foreach (var follower in followers)
            follower.Add(what);
    }

    /// <summary>Follows from the moment of the call, not from the first element requested.</summary>
    public IAsyncEnumerable<SubscriptionEvent> Follow(string? subscription, int capacity, CancellationToken ct)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        var follower = new Follower(subscription, capacity);
        ImmutableInterlocked.Update(ref _followers, static (all, one) => all.Add(one), follower);
        return ReadAsync(follower, ct);
    }

    /// <summary>Ends all followers.</summary>
    public void Complete()
    {
        foreach (var follower in ImmutableInterlocked.InterlockedExchange(ref _followers, []))
            follower.Queue.Writer.TryComplete();
    }

    private async IAsyncEnumerable<SubscriptionEvent> ReadAsync(
        Follower follower,
        [EnumeratorCancellation] CancellationToken ct
    )
    {
        try
        {
            while (await follower.Queue.Reader.WaitToReadAsync(ct).ConfigureAwait(false))
            {
                // The oldest events are dropped, so the missing ones come before the next one read.
                if (follower.TakeMissed() is > 0 and var missed)
                {
                    yield return new SubscriptionEvent(
                        SubscriptionEventKind.Missed,
                        "",
                        time.GetUtcNow(),
                        Count: missed
                    );
                }

                while (follower.Queue.Reader.TryRead(out var what))
                {
                    yield return what;
                    if (follower.HasMissed)
                        break;
                }
            }
        }
        finally
        {
            ImmutableInterlocked.Update(ref _followers, static (all, one) => all.Remove(one), follower);
        }
    }

    private sealed class Follower
    {
        private readonly string? _subscription;
        private long _missed;

        public Follower(string? subscription, int capacity)
        {
            _subscription = subscription;
            Queue = Channel.CreateBounded<SubscriptionEvent>(
                new BoundedChannelOptions(capacity)
                {
                    FullMode = BoundedChannelFullMode.DropOldest,
                    SingleReader = true,
                },
                _ => Interlocked.Increment(ref _missed)
            );
        }

        public Channel<SubscriptionEvent> Queue { get; }

        public bool HasMissed => Interlocked.Read(ref _missed) > 0;

        public void Add(SubscriptionEvent what)
        {
            if (_subscription is null || _subscription.Equals(what.Subscription, StringComparison.OrdinalIgnoreCase))
                Queue.Writer.TryWrite(what);
        }

        public long TakeMissed() => Interlocked.Exchange(ref _missed, 0);
    }
}
