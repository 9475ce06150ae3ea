using System.Net.Sockets;

namespace Pipeline.IntegrationTests.Faults.Network;

/// <summary>The way from one program to another, which can be disturbed in each direction. Thread-safe.</summary>
/// <param name="from">Who opens the connections.</param>
/// <param name="to">Who accepts them.</param>
internal sealed class NetworkPath(string from, string to)
{
    private readonly Lock _lock = new();
    private readonly HashSet<PathConnection> _open = [];
    private TaskCompletionSource _changed = NewSignal();
    private PathMode _there;
    private PathMode _back;

    /// <summary>Who opens the connections.</summary>
    public string From => from;

    /// <summary>Who accepts them.</summary>
    public string To => to;

    /// <summary>Disturbs the path from now on.</summary>
    /// <param name="there">What becomes of requests.</param>
    /// <param name="back">What becomes of answers.</param>
    public void Disturb(PathMode there, PathMode back)
    {
        lock (_lock)
        {
            (_there, _back) = (there, back);
            foreach (var connection in _open.Where(c => IsCut || (c.HasGap && there == PathMode.Open)))
                connection.Reset();
            _changed.SetResult();
            _changed = NewSignal();
        }
    }

    /// <summary>Ends the disturbance.</summary>
    public void Heal() => Disturb(PathMode.Open, PathMode.Open);

    /// <inheritdoc/>
    public override string ToString() => $"{from}->{to}";

    /// <summary>Notes a connection; false if the path is cut.</summary>
    internal bool TryAdd(PathConnection connection)
    {
        lock (_lock)
            return !IsCut && _open.Add(connection);
    }

    /// <summary>Forgets a connection.</summary>
    internal void Remove(PathConnection connection)
    {
        lock (_lock)
            _open.Remove(connection);
    }

    /// <summary>Waits until bytes that have come may go on, or are lost.</summary>
    /// <returns>Whether they go on.</returns>
    internal async Task<bool> PassAsync(PathConnection connection, bool isBack, CancellationToken ct)
    {
        while (true)
        {
            Task changed;
            lock (_lock)
            {
                var mode = isBack ? _back : _there;
                if (mode == PathMode.Swallowed)
                    connection.HasGap = true;
                if (mode != PathMode.Late)
                    return mode == PathMode.Open && !connection.HasGap;
                changed = _changed.Task;
            }
            await changed.WaitAsync(ct);
        }
    }

    private bool IsCut => _there == PathMode.Cut || _back == PathMode.Cut;

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>One connection over a path: the sockets on both sides of the proxy.</summary>
internal sealed class PathConnection(Socket caller, Socket target)
{
    /// <summary>Whether bytes of it were lost.</summary>
    public bool HasGap { get; set; }

    /// <summary>Resets both sides.</summary>
    public void Reset()
    {
        foreach (var socket in (Socket[])[caller, target])
        {
            try
            {
                socket.LingerState = new LingerOption(true, 0);
                socket.Close();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                continue; // gone already
            }
        }
    }
}
