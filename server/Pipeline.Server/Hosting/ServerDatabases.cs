using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Pipeline.Database;

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
        if (options.DataFolder is null)
            return;
        foreach (var folder in Directory.CreateDirectory(options.DataFolder).EnumerateDirectories())
        {
            if (folder.Name.StartsWith('.') || !folder.EnumerateFiles("*.data").Any())
                continue;
            DatabaseName.Check(folder.Name);
            _open[folder.Name] = Open(folder.Name);
        }
    }

    /// <summary>All of them, in order of their names.</summary>
    public IReadOnlyList<ServedDatabase> All => [.. _open.Values.OrderBy(d => d.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>Finds one.</summary>
    public bool TryGet(string name, [NotNullWhen(true)] out ServedDatabase? database) => _open.TryGetValue(name, out database);

    /// <summary>Serves a database that another part of the process has open; it is not deleted or closed here.</summary>
    public void Add(DocumentDatabase database) => _open[database.Name] = new ServedDatabase(database.Name, database, owned: false, _options.Time);

    /// <summary>Makes one.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="record">What the client says of it, as JSON.</param>
    /// <param name="ct">Ends the wait for others who make or delete one.</param>
    /// <exception cref="InvalidDatabaseNameException">It cannot be called so.</exception>
    /// <exception cref="DatabaseExistsException">There is one already.</exception>
    /// <exception cref="TooManyDatabasesException">There are as many as are allowed.</exception>
    public async Task<ServedDatabase> CreateAsync(string name, ReadOnlyMemory<byte> record, CancellationToken ct)
    {
        DatabaseName.Check(name);
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            if (_open.ContainsKey(name))
                throw new DatabaseExistsException(name);
            if (_open.Count >= _options.MaxDatabases)
                throw new TooManyDatabasesException(_options.MaxDatabases);
            var made = Open(name);
            await made.SetRecordAsync(record, ct).ConfigureAwait(false);
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
    public async Task<bool> DeleteAsync(string name, bool removesFiles, CancellationToken ct)
    {
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            if (!_open.TryGetValue(name, out var database) || !database.IsOwned)
                return false;
            _open.TryRemove(name, out _);
            await database.Database.DisposeAsync().ConfigureAwait(false);
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
        foreach (var database in _open.Values.Where(d => d.IsOwned))
            await database.Database.DisposeAsync().ConfigureAwait(false);
        _open.Clear();
        _changing.Dispose();
    }

    private ServedDatabase Open(string name) => new(
        name,
        DocumentDatabase.Open(_options.Database with { Name = name, Path = PathOf(name), TimeProvider = _options.Time, LoggerFactory = _options.Loggers }),
        owned: true,
        _options.Time);

    private string? PathOf(string name) => _options.DataFolder is { } folder ? Path.Combine(folder, name) : null;
}
