using RabbitMQ.Client.Events;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>
/// Tracks the broker's confirms for the messages published on one channel, and bounds the number of unconfirmed ones.
/// </summary>
/// <remarks>
/// Uses the channel's events rather than the client library's tracking, which keeps a task for each message. Sequence
/// numbers start at 1 and grow by one with each publish. A confirm names one message or all up to one. A returned
/// message's <c>basic.return</c> comes before its confirm. For one publisher; the events arrive on the connection's
/// thread.
/// </remarks>
internal sealed class RabbitMqConfirms : IDisposable
{
    private readonly Lock _lock = new();
    private readonly SemaphoreSlim _room;
    private readonly int _window;
    private readonly State[] _ring;
    private readonly string[] _ids;
    private readonly int[] _indexes;
    private readonly ITimer _watchdog;

    // Never disposed, because the loss of the channel may be detected late.
    private readonly CancellationTokenSource _ended = new();
    private readonly TimeSpan _timeout;
    private readonly List<(int Index, string Reason)> _returned = [];
    private ulong _low = 1;
    private ulong _next = 1;
    private ulong _lowSeen;
    private int _nacked;
    private string? _lost;
    private ShutdownEventArgs? _shutdown;

    internal RabbitMqConfirms(int window, TimeSpan timeout, TimeProvider time)
    {
        _window = window;
        _timeout = timeout;
        _room = new SemaphoreSlim(window);
        _ring = new State[window];
        _ids = new string[window];
        _indexes = new int[window];
        _watchdog = time.CreateTimer(static state => ((RabbitMqConfirms)state!).Watch(), this, timeout, timeout);
    }

    private enum State : byte
    {
        Waiting,
        Returned,
        Done,
    }

    /// <summary>
    /// Cancelled once no more confirms will arrive, since a publisher may hang on a connection that the broker no
    /// longer reads.
    /// </summary>
    internal CancellationToken Ended => _ended.Token;

    /// <summary>Why no more confirms will come, or null.</summary>
    internal (string? Text, ShutdownEventArgs? Shutdown) Lost
    {
        get
        {
            lock (_lock)
                return (_lost, _shutdown);
        }
    }

    /// <summary>Waits for room, then registers the message that is about to be published.</summary>
    /// <returns>Whether it may be published; <see langword="false"/> once the channel is lost.</returns>
    internal async ValueTask<bool> EnterAsync(string id, int index, CancellationToken cancellationToken)
    {
        await _room.WaitAsync(cancellationToken).ConfigureAwait(false);
        lock (_lock)
        {
            if (_lost is not null)
                return false;
            var slot = Slot(_next++);
            (_ring[slot], _ids[slot], _indexes[slot]) = (State.Waiting, id, index);
            return true;
        }
    }

    /// <summary>Waits until the broker has confirmed all that was published.</summary>
    /// <returns>The messages that no queue accepted, in order, and how many the broker rejected.</returns>
    internal async ValueTask<(List<(int Index, string Reason)> Returned, int Nacked)> DrainAsync(
        CancellationToken cancellationToken
    )
    {
        var taken = 0;
        try
        {
            for (; taken < _window; taken++)
                await _room.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            if (taken > 0)
                _room.Release(taken);
        }

        lock (_lock)
        {
            var result = (new List<(int, string)>(_returned), _nacked);
            _returned.Clear();
            _nacked = 0;
            return result;
        }
    }

    internal void Confirm(ulong tag, bool multiple, bool accepted)
    {
        lock (_lock)
        {
            if (_lost is not null)
                return;
            for (var sequence = multiple ? _low : tag; sequence <= tag && sequence < _next; sequence++)
            {
                ref var state = ref _ring[Slot(sequence)];
                if (sequence < _low || state == State.Done)
                    continue;
                if (!accepted && state != State.Returned)
                    _nacked++;
                state = State.Done;
            }

            // Room is released in order, so that the ring's slots are never used twice.
            var before = _low;
            while (_low < _next && _ring[Slot(_low)] == State.Done)
                _low++;
            if (_low > before)
                _room.Release((int)(_low - before));
        }
    }

    internal void Return(string? id, string reason)
    {
        lock (_lock)
        {
            for (var sequence = _low; sequence < _next; sequence++)
            {
                var slot = Slot(sequence);
                if (_ring[slot] != State.Waiting || _ids[slot] != id)
                    continue;
                _ring[slot] = State.Returned;
                _returned.Add((_indexes[slot], reason));
                return;
            }
        }
    }

    internal void Lose(string text, ShutdownEventArgs? shutdown)
    {
        lock (_lock)
        {
            if (_lost is not null)
                return;
            _lost = text;
            _shutdown = shutdown;

            // Waiting callers wake, and find that the channel is lost.
            _room.Release(_window);
        }

        _ended.Cancel();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _watchdog.Dispose();
        Lose("closed", null);
    }

    private int Slot(ulong sequence) => (int)(sequence % (ulong)_window);

    private void Watch()
    {
        lock (_lock)
        {
            var stuck = _low < _next && _low == _lowSeen;
            _lowSeen = _low;
            if (!stuck)
                return;
        }

        Lose($"the broker confirmed nothing for {_timeout.TotalSeconds:F0} s", null);
    }
}
