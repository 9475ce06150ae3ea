using System.Collections.Immutable;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Changes;

/// <summary>
/// Tells the connections of one database what changes in it. Committed changes are read once for all of them, and not at all while there are none. Thread-safe; a slow
/// connection is never waited for.
/// </summary>
internal sealed class ChangesFeed(DocumentDatabase database, OperationLog operations) : IDisposable
{
    private readonly Lock _gate = new();
    private ImmutableArray<ChangesConnection> _connections = [];
    private CancellationTokenSource? _reading;

    /// <summary>Connections at this moment.</summary>
    public int Count => _connections.Length;

    /// <summary>Tells a connection from now on, until what is returned is disposed.</summary>
    public IDisposable Join(ChangesConnection connection)
    {
        lock (_gate)
        {
            _connections = _connections.Add(connection);
            if (_reading is null)
            {
                _reading = new CancellationTokenSource();
                database.Indexes.Changed += OnIndex;
                operations.Changed += OnOperation;
                var (from, ends) = (database.LastPosition, _reading.Token);
                _ = Task.Run(() => ReadAsync(from, ends), CancellationToken.None);
            }
        }
        return new Membership(this, connection);
    }

    /// <summary>Tells nobody any more.</summary>
    public void Dispose()
    {
        foreach (var connection in _connections)
        {
            connection.End();
            Leave(connection);
        }
    }

    private void Leave(ChangesConnection connection)
    {
        lock (_gate)
        {
            _connections = _connections.Remove(connection);
            if (_connections.Length > 0 || _reading is null)
                return;
            database.Indexes.Changed -= OnIndex;
            operations.Changed -= OnOperation;
            _reading.Cancel();
            _reading.Dispose();
            _reading = null;
        }
    }

    private async Task ReadAsync(long after, CancellationToken ct)
    {
        try
        {
            while (true)
            {
                await database.WaitForChangeAsync(after, ct).ConfigureAwait(false);
                using var snapshot = database.OpenSnapshot("changes");
                using var batch = snapshot.ReadChanges(after, ChangeFilter.AllWithDeletes);
                foreach (var connection in _connections)
                    connection.Tell(batch);
                after = batch.Through;
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            // Nobody listens any more, or the database was closed: those who still listen are told by the end.
            foreach (var connection in _connections)
                connection.End();
        }
    }

    private void OnIndex(object? sender, IndexChange change)
    {
        foreach (var connection in _connections)
            connection.Tell(change);
    }

    private void OnOperation(object? sender, Operation operation)
    {
        foreach (var connection in _connections)
            connection.Tell(operation);
    }

    private sealed class Membership(ChangesFeed feed, ChangesConnection connection) : IDisposable
    {
        public void Dispose() => feed.Leave(connection);
    }
}
