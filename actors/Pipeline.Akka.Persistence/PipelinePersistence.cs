using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Configuration;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Database;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// The Pipeline plugins of an actor system: their defaults, and their databases, each opened once. Thread-safe.
/// </summary>
public sealed class PipelinePersistence : IExtension
{
    private readonly ExtendedActorSystem _system;
    private readonly ConcurrentDictionary<ConnectionPlace, Lazy<IEventConnection>> _connections = new();
    private readonly ConcurrentDictionary<string, DocumentDatabase> _databases = new(StringComparer.Ordinal);

    internal PipelinePersistence(ExtendedActorSystem system)
    {
        _system = system;
        system.Settings.InjectTopLevelFallback(DefaultConfiguration());
        if (system.Settings.Setup.Get<PipelinePersistenceSetup>() is { HasValue: true } setup)
        {
            foreach ((var name, var database) in setup.Value.Databases)
                _databases[name] = database;
        }

        system.RegisterOnTermination(Close);
    }

    /// <summary>The extension of an actor system.</summary>
    /// <param name="system">The actor system.</param>
    public static PipelinePersistence Get(ActorSystem system)
    {
        ArgumentNullException.ThrowIfNull(system);
        return system.WithExtension<PipelinePersistence, PipelinePersistenceProvider>();
    }

    /// <summary>The defaults of all settings.</summary>
    public static Config DefaultConfiguration()
    {
        using var resource = typeof(PipelinePersistence).Assembly.GetManifestResourceStream("reference.conf")!;
        using var reader = new StreamReader(resource);
        return ConfigurationFactory.ParseString(reader.ReadToEnd());
    }

    /// <summary>Registers an open database for plugins; the program must close it after the actor system.</summary>
    /// <param name="name">The name that plugins refer to.</param>
    /// <param name="database">The database.</param>
    public void AddDatabase(string name, DocumentDatabase database)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(database);
        _databases[name] = database;
    }

    /// <summary>
    /// Destroys the key of a persistence id with encrypted events, in a folder or database of this process. Nobody can
    /// then read its events and snapshots.
    /// </summary>
    /// <param name="pluginId">The path of the journal's configuration.</param>
    /// <param name="persistenceId">The persistence id; stop its actor first.</param>
    public void DestroyKey(string pluginId, string persistenceId)
    {
        if (Connect(PlaceOf(pluginId)) is not EmbeddedConnection embedded)
            throw new NotSupportedException($"The plugin '{pluginId}' is on a server: destroy the key there.");
        embedded.DestroyKey(persistenceId);
    }

    /// <summary>
    /// Opens what a plugin needs and checks that it can be read and written. Works as a health check even while no
    /// actor is active.
    /// </summary>
    /// <param name="pluginId">The path of its configuration, such as <c>akka.persistence.journal.pipeline</c>.</param>
    /// <param name="ct">Stops waiting.</param>
    /// <returns>A task that completes if the check succeeds.</returns>
    /// <exception cref="Exception">The check failed.</exception>
    public async Task CheckAsync(string pluginId, CancellationToken ct = default)
    {
        await Connect(PlaceOf(pluginId)).CheckAsync(ct).ConfigureAwait(false);
    }

    /// <summary>The connection to a place; opens it if needed. After a failure the next call tries again.</summary>
    internal IEventConnection Connect(ConnectionPlace place)
    {
        var connection = _connections.GetOrAdd(place, p => new Lazy<IEventConnection>(() => Open(p)));
        try
        {
            return connection.Value;
        }
        catch (Exception e) when (e is not PersistencePlaceException)
        {
            _connections.TryRemove(new KeyValuePair<ConnectionPlace, Lazy<IEventConnection>>(place, connection));
            throw new PersistencePlaceException(place.ToString(), e);
        }
    }

    private ConnectionPlace PlaceOf(string pluginId) =>
        ConnectionPlace.Read(
            _system.Settings.Config.GetConfig(pluginId)
                ?? throw new ConfigurationException($"There is no plugin '{pluginId}' in the configuration."),
            pluginId
        );

    private IEventConnection Open(ConnectionPlace place)
    {
        if (place.Path.Length > 0)
        {
            var name = Path.GetFileName(place.Path.TrimEnd('/', '\\'));
            return new EmbeddedConnection(
                DocumentDatabase.Open(
                    new DatabaseOptions
                    {
                        Name = name,
                        Path = place.Path,
                        Events = Encryption(),
                    }
                ),
                owned: true
            );
        }

        if (place.Url.Length > 0)
            return new RemoteConnection(new Uri(place.Url), place.RemoteDatabase, place.Tls);
        return _databases.TryGetValue(place.Database, out var database)
            ? new EmbeddedConnection(database, owned: false)
            : throw new ConfigurationException(
                $"The program has not added a database '{place.Database}' to the actor system, but {(_databases.IsEmpty ? "none" : string.Join(", ", _databases.Keys))}: use PipelinePersistenceSetup, or 'path' or 'url' instead."
            );
    }

    private EventOptions Encryption()
    {
        var keys = _system.Settings.Config.GetString("akka.persistence.pipeline.encryption.keys", "");
        string[] ids =
        [
            .. _system.Settings.Config.GetStringList("akka.persistence.pipeline.encryption.persistence-ids", []),
        ];
        if (ids.Length > 0 && keys.Length == 0)
        {
            throw new ConfigurationException(
                "akka.persistence.pipeline.encryption names persistence ids but no folder for their keys: set 'keys'."
            );
        }

        return keys.Length == 0
            ? new EventOptions()
            : new EventOptions
            {
                Keys = new FolderStreamKeys(keys),
                Encrypt = id => Array.Exists(ids, i => id.StartsWith(i, StringComparison.Ordinal)),
            };
    }

    private void Close()
    {
        foreach (var connection in _connections.Values)
        {
            if (connection.IsValueCreated)
                connection.Value.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
