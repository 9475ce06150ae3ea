using Akka.Configuration;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>The configured place of a plugin's events. Plugins with equal places share one connection.</summary>
internal sealed record ConnectionPlace(
    string Database,
    string Path,
    string Url,
    string RemoteDatabase,
    ConnectionTls Tls
)
{
    internal static ConnectionPlace Read(Config config, string plugin)
    {
        var place = new ConnectionPlace(
            config.GetString("database", ""),
            config.GetString("path", ""),
            config.GetString("url", ""),
            config.GetString("remote-database", ""),
            ConnectionTls.Read(config, plugin)
        );
        var given =
            (place.Database.Length > 0 ? 1 : 0) + (place.Path.Length > 0 ? 1 : 0) + (place.Url.Length > 0 ? 1 : 0);
        if (given != 1)
        {
            throw new ConfigurationException(
                $"The plugin '{plugin}' needs exactly one of 'database', 'path' and 'url' to say where its events are; {given} are given."
            );
        }

        if (place.Url.Length > 0 && place.RemoteDatabase.Length == 0)
        {
            throw new ConfigurationException(
                $"The plugin '{plugin}' has the url '{place.Url}' but no 'remote-database': name the database there."
            );
        }

        if (place.Url.Length == 0 && place.Tls != ConnectionTls.None)
            throw new ConfigurationException($"The plugin '{plugin}' has settings of 'tls' but no 'url'.");
        return place;
    }

    public override string ToString() =>
        Database.Length > 0 ? $"the database '{Database}'"
        : Path.Length > 0 ? $"the folder '{Path}'"
        : $"the database '{RemoteDatabase}' at {Url}";
}
