using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;

namespace Pipeline.Server.Hosting;

/// <summary>
/// Bounds the number of connections. When all are taken, a new connection replaces the oldest one that has not begun a
/// request. Without such a connection, the new one is closed before its first byte is read. Thread-safe.
/// </summary>
/// <remarks>
/// A client is unknown until its TLS handshake ends, so no count per client can bound clients that never end it. To
/// keep others out, an attacker must open <c>max</c> connections in the time that an honest handshake takes. Kestrel's
/// own limit logs a warning for each connection that it closes, so a client without rights could fill the log. This one
/// logs their number, once per <see cref="Interval"/>.
/// </remarks>
internal sealed class ConnectionLimit(int max, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);
    private readonly Lock _gate = new();
    private readonly LinkedList<Place> _waiting = [];
    private long? _logged;
    private int _open,
        _refused,
        _replaced;

    /// <summary>Serves the connection, or closes it.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        var place = new Place(this, connection);
        if (!TryTake(place, out var replaced))
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            Log(isReplaced: false);
            return;
        }
        try
        {
            if (replaced is not null)
            {
                replaced.Connection.Abort(
                    new ConnectionAbortedException(
                        "All connections are taken, and this one is the oldest that has not begun a request."
                    )
                );
                Log(isReplaced: true);
            }
            connection.Features.Set(place);
            await next(connection).ConfigureAwait(false);
        }
        finally
        {
            Leave(place);
        }
    }

    private bool TryTake(Place place, out Place? replaced)
    {
        lock (_gate)
        {
            replaced = null;
            if (_open < max)
                _open++;
            else if (_waiting.First is { } oldest)
                (replaced, oldest.Value.IsReplaced) = (oldest.Value, true);
            else
                return false;
            if (replaced is not null)
                _waiting.RemoveFirst();
            _waiting.AddLast(place.Node);
            return true;
        }
    }

    private void Begin(Place place)
    {
        lock (_gate)
        {
            if (place.Node.List is not null)
                _waiting.Remove(place.Node);
        }
    }

    private void Leave(Place place)
    {
        lock (_gate)
        {
            if (place.Node.List is not null)
                _waiting.Remove(place.Node);
            if (!place.IsReplaced)
                _open--;
        }
    }

    private void Log(bool isReplaced)
    {
        int refused,
            replaced;
        lock (_gate)
        {
            _ = isReplaced ? _replaced++ : _refused++;
            if (_logged is { } last && time.GetElapsedTime(last) < Interval)
                return;
            (_logged, refused, replaced, _refused, _replaced) = (time.GetTimestamp(), _refused, _replaced, 0, 0);
        }
        ServerLog.ConnectionsRefused(logger, refused, replaced, max);
    }

    /// <summary>The slot of an open connection.</summary>
    internal sealed class Place
    {
        private readonly ConnectionLimit _limit;

        public Place(ConnectionLimit limit, ConnectionContext connection)
        {
            (_limit, Connection) = (limit, connection);
            Node = new LinkedListNode<Place>(this);
        }

        public ConnectionContext Connection { get; }

        public LinkedListNode<Place> Node { get; }

        /// <summary>Whether a newer connection has taken over this slot.</summary>
        public bool IsReplaced { get; set; }

        /// <summary>Reports that a request has begun. From now on, no newer connection replaces this one.</summary>
        public void Begin() => _limit.Begin(this);
    }
}
