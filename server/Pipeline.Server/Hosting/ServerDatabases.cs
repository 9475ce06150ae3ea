using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Nodes;
using Pipeline.Database;
using Pipeline.Server.Endpoints;

namespace Pipeline.Server.Hosting;

/// <summary>The databases of a server, by name in any case. Thread-safe.</summary>
internal sealed class ServerDatabases : IAsyncDisposable
{
    private readonly ConcurrentDictionary<string, ServedDatabase> _open = new(StringComparer.OrdinalIgnoreCase);
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly ServerOptions _options;

    /// <summary>Opens what lies in the data folder; folders that begin with a dot, and those without a data file, are none of ours.</summary>
    public ServerDatabases(ServerOptions options)
    {
        _options = options;
        foreach (var shared in options.Shared)
            _open[shared.Database.Name] = new ServedDatabase(shared, options);
        if (options.DataFolder is null || !Directory.Exists(options.DataFolder))
            return;
        foreach (var folder in new DirectoryInfo(options.DataFolder).EnumerateDirectories())
        {
            if (folder.Name.StartsWith('.') || !folder.EnumerateFiles("*.data").Any())
                continue;
            DatabaseName.Check(folder.Name);
            var opened = Open(folder.Name);
            if (!_open.TryAdd(folder.Name, opened))
                throw new DatabaseExistsException(folder.Name);
            // What was subscribed to goes on, and counts as behind, before anybody asks.
            _ = opened.Subscriptions;
        }
    }

    /// <summary>All of them, in order of their names.</summary>
    public IReadOnlyList<ServedDatabase> All => [.. _open.Values.OrderBy(d => d.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>Finds one.</summary>
    public bool TryGet(string name, [NotNullWhen(true)] out ServedDatabase? database) => _open.TryGetValue(name, out database);

    /// <summary>Makes sure that a client may make one.</summary>
    /// <exception cref="DatabaseNotOwnedException">None may be made.</exception>
    public void CheckMayCreate(string name)
    {
        if (!_options.CreatesDatabases)
            throw new DatabaseNotOwnedException(name, "cannot be made: this server makes none for clients (server.createsDatabases)");
    }

    /// <summary>Makes one.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="record">What the client says of it; null for nothing.</param>
    /// <param name="ct">Ends the wait for others who make or delete one.</param>
    /// <exception cref="InvalidDatabaseNameException">It cannot be called so.</exception>
    /// <exception cref="DatabaseExistsException">There is one already.</exception>
    /// <exception cref="TooManyDatabasesException">There are as many as are allowed.</exception>
    public async Task<ServedDatabase> CreateAsync(string name, JsonObject? record, CancellationToken ct)
    {
        DatabaseName.Check(name);
        var expiration = ExpirationEndpoints.Read(record, ExpirationConfiguration.None);
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            if (_open.ContainsKey(name))
                throw new DatabaseExistsException(name);
            if (_open.Count >= _options.Limits.MaxDatabases)
                throw new TooManyDatabasesException(_options.Limits.MaxDatabases);
            var made = Open(name);
            await made.Record.ChangeAsync(json => DatabaseRecordWire.Take(json, record), ct).ConfigureAwait(false);
            if (expiration is not null)
                await made.Database.Expiration.ConfigureAsync(expiration, ct).ConfigureAwait(false);
            _open[name] = made;
            return made;
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>
    /// Closes one that the server made and removes its files, or sets them aside in a folder <c>.deleted-NAME-TICKS</c> from which people can take them back;
    /// false where there is none.
    /// </summary>
    /// <exception cref="DatabaseNotOwnedException">It is not the server's to delete.</exception>
    /// <exception cref="DatabaseLockedException">It is locked against it.</exception>
    public async Task<bool> DeleteAsync(string name, bool removesFiles, CancellationToken ct)
    {
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            if (!_open.TryGetValue(name, out var database))
                return false;
            if (!database.IsOwned)
                throw new DatabaseNotOwnedException(database.Name, "is this worker's own, and goes only with its folder");
            if (database.Record.LockMode != "Unlock")
                throw new DatabaseLockedException(database.Name, database.Record.LockMode);
            _open.TryRemove(name, out _);
            await database.DisposeAsync().ConfigureAwait(false);
            if (PathOf(database.Name) is { } path)
            {
                if (removesFiles)
                    Directory.Delete(path, recursive: true);
                else
                    Directory.Move(path, PathOf(string.Create(CultureInfo.InvariantCulture, $".deleted-{database.Name}-{_options.Time.GetUtcNow().Ticks}"))!);
            }
            return true;
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var database in _open.Values)
            await database.DisposeAsync().ConfigureAwait(false);
        _open.Clear();
        _changing.Dispose();
    }

    private ServedDatabase Open(string name) => new(
        name,
        DocumentDatabase.Open(_options.Database with { Name = name, Path = PathOf(name), TimeProvider = _options.Time, LoggerFactory = _options.Loggers }),
        _options);

    private string? PathOf(string name) => _options.DataFolder is { } folder ? Path.Combine(folder, name) : null;
}
