using System.Threading.Channels;

namespace Pipeline.TestKit.Time;

/// <summary>
/// A clock that moves only when a test moves it. Timers fire on the caller of <see cref="Advance"/>, in the order of
/// their times. Thread-safe.
/// </summary>
public sealed class ManualTimeProvider : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private readonly Channel<TimeSpan> _created = Channel.CreateUnbounded<TimeSpan>();
    private DateTimeOffset _now = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock)
            return _now;
    }

    public override long GetTimestamp() => GetUtcNow().Ticks;

    /// <summary>
    /// The wait that the next timer was set to; completes when there is one that no call has given yet.
    /// </summary>
    public ValueTask<TimeSpan> NextTimerAsync(CancellationToken cancellationToken = default) =>
        _created.Reader.ReadAsync(cancellationToken);

    /// <summary>Advances the clock and fires the timers that are due.</summary>
    public void Advance(TimeSpan by)
    {
        DateTimeOffset target;
        lock (_lock)
            target = _now + by;
        while (true)
        {
            ManualTimer? due;
            lock (_lock)
            {
                due = _timers.Where(t => t.Due <= target).MinBy(t => t.Due);
                if (due is null)
                {
                    _now = target;
                    return;
                }

                if (due.Due > _now)
                    _now = due.Due;
                _timers.Remove(due);
                if (due.Period > TimeSpan.Zero)
                {
                    due.Due += due.Period;
                    _timers.Add(due);
                }
            }

            due.Fire();
        }
    }

    /// <summary>Sets the clock back, as a person or a time server does; timers stay.</summary>
    public void SetBack(TimeSpan by)
    {
        lock (_lock)
            _now -= by;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private void Set(ManualTimer timer, TimeSpan dueTime, TimeSpan period)
    {
        lock (_lock)
        {
            _timers.Remove(timer);
            if (dueTime == Timeout.InfiniteTimeSpan)
                return;
            timer.Due = _now + dueTime;
            timer.Period = period;
            _timers.Add(timer);
        }

        _created.Writer.TryWrite(dueTime);
    }

    private void Remove(ManualTimer timer)
    {
        lock (_lock)
            _timers.Remove(timer);
    }

    private sealed class ManualTimer(ManualTimeProvider owner, TimerCallback callback, object? state) : ITimer
    {
        public DateTimeOffset Due { get; set; }

        public TimeSpan Period { get; set; }

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            owner.Set(this, dueTime, period == Timeout.InfiniteTimeSpan ? TimeSpan.Zero : period);
            return true;
        }

        public void Dispose() => owner.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
