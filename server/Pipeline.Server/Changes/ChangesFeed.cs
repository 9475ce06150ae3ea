using System.Collections.Immutable;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Server.Operations;

namespace Pipeline.Server.Changes;

/// <summary>
/// Notifies the connections of one database of its changes. Committed changes are read once for all connections, and
/// not at all without any. Thread-safe; never waits for a slow connection.
/// </summary>
internal sealed class ChangesFeed(DocumentDatabase database, OperationLog operations, ChangesMemory memory)
    : IDisposable
{
    private readonly Lock _gate = new();
    private ImmutableArray<ChangesConnection> _connections = [];
    private CancellationTokenSource? _reading;

    /// <summary>The memory that the connections of all databases share.</summary>
    public ChangesMemory Memory { get; } = memory;

    /// <summary>The current number of connections.</summary>
    public int Count => _connections.Length;

    /// <summary>Notifies a connection from now on, until the returned object is disposed.</summary>
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

    /// <summary>Stops notifying.</summary>
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
            // No connection is left, or the database was closed: the remaining clients notice that their connection
            // ends.
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
