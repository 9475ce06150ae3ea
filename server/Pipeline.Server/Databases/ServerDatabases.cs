using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Nodes;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server.Changes;
using Pipeline.Server.Errors;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Databases;

/// <summary>The databases of a server, by name without regard to case. Thread-safe.</summary>
internal sealed class ServerDatabases : IAsyncDisposable
{
    // Web sockets may use this fraction of the memory of requests, in addition to it.
    private const int ChangesShare = 16;
    private readonly ConcurrentDictionary<string, ServedDatabase> _open = new(StringComparer.OrdinalIgnoreCase);
    private readonly SemaphoreSlim _changing = new(1, 1);
    private bool _disposed;
    private readonly ServerOptions _options;
    private readonly ChangesMemory _changes;

    /// <summary>
    /// Opens the databases in the data folder. Ignores folders whose names begin with a dot, and those without a data
    /// file.
    /// </summary>
    public ServerDatabases(ServerOptions options)
    {
        _options = options;
        _changes = new ChangesMemory(options.Limits.MaxMemory / ChangesShare);
        foreach (var shared in options.Shared)
            _open[shared.Database.Name] = new ServedDatabase(shared, options, _changes);
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
            // Subscriptions must run and count their backlog before the first request.
            _ = opened.Subscriptions;
        }
    }

    /// <summary>All databases, ordered by name.</summary>
    public IReadOnlyList<ServedDatabase> All =>
        [.. _open.Values.OrderBy(d => d.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>Finds a database.</summary>
    public bool TryGet(string name, [NotNullWhen(true)] out ServedDatabase? database) =>
        _open.TryGetValue(name, out database);

    /// <summary>Checks that a client may create a database.</summary>
    /// <exception cref="DatabaseNotOwnedException">Clients may not create databases.</exception>
    public void CheckMayCreate(string name)
    {
        if (!_options.CreatesDatabases)
        {
            throw new DatabaseNotOwnedException(
                name,
                "cannot be made: this server makes none for clients (server.createsDatabases)"
            );
        }
    }

    /// <summary>Creates a database.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="record">The client's settings; null for none.</param>
    /// <param name="ct">Stops waiting for others that create or delete a database.</param>
    /// <exception cref="InvalidDatabaseNameException">The name is invalid.</exception>
    /// <exception cref="DatabaseExistsException">The name is taken.</exception>
    /// <exception cref="TooManyDatabasesException">The limit of databases is reached.</exception>
    public async Task<ServedDatabase> CreateAsync(string name, JsonObject? record, CancellationToken ct)
    {
        DatabaseName.Check(name);
        var expiration = ExpirationWire.Read(record, ExpirationConfiguration.None);
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_open.ContainsKey(name))
                throw new DatabaseExistsException(name);
            if (_open.Count >= _options.Limits.MaxDatabases)
                throw new TooManyDatabasesException(_options.Limits.MaxDatabases);
            var made = Open(name);
            await made.Record.ChangeAsync(json => RecordSettings.Take(json, record), ct).ConfigureAwait(false);
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
    /// Closes a database that the server created, and removes its files. Otherwise moves them to a folder
    /// <c>.deleted-NAME-TICKS</c>, from which people can restore them. Returns false if there is no such database.
    /// </summary>
    /// <exception cref="DatabaseNotOwnedException">The database is not the server's to delete.</exception>
    /// <exception cref="DatabaseLockedException">The database is locked.</exception>
    public async Task<bool> DeleteAsync(string name, bool removesFiles, CancellationToken ct)
    {
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            if (!_open.TryGetValue(name, out var database))
                return false;
            if (!database.IsOwned)
            {
                throw new DatabaseNotOwnedException(
                    database.Name,
                    "is this worker's own, and goes only with its folder"
                );
            }

            if (database.Record.LockMode != "Unlock")
                throw new DatabaseLockedException(database.Name, database.Record.LockMode);
            _open.TryRemove(name, out _);
            await database.DisposeAsync().ConfigureAwait(false);
            if (PathOf(database.Name) is { } path)
            {
                // The name goes first: a process that is killed in the middle must not find half a database at its next
                // start.
                var aside = PathOf(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $".deleted-{database.Name}-{_options.Time.GetUtcNow().Ticks}"
                    )
                )!;
                Directory.Move(path, aside);
                if (removesFiles)
                    Directory.Delete(aside, recursive: true);
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
        await _changing.WaitAsync().ConfigureAwait(false);
        _disposed = true;
        foreach (var database in _open.Values)
            await database.DisposeAsync().ConfigureAwait(false);
        _open.Clear();
        _changing.Release();
    }

    private ServedDatabase Open(string name) =>
        new(
            name,
            DocumentDatabase.Open(
                _options.Database with
                {
                    Name = name,
                    Path = PathOf(name),
                    TimeProvider = _options.Time,
                    LoggerFactory = _options.Loggers,
                }
            ),
            _options,
            _changes
        );

    private string? PathOf(string name) => _options.DataFolder is { } folder ? Path.Combine(folder, name) : null;
}
