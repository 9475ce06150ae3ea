using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Certificates;
using Pipeline.Database.Indexes;
using Pipeline.Runner.Settings;
using Pipeline.Server.Settings;

namespace Pipeline.Hosting;

/// <summary>What a configuration says of the server.</summary>
internal static class ServerSettings
{
    /// <summary>The folder beneath the database's own that has a folder for each database that clients made.</summary>
    public const string DatabasesFolder = "databases";

    /// <summary>
    /// The options. Without a port, certificate and clients are those of the application that the requests come from.
    /// </summary>
    /// <exception cref="WorkerException">The certificate cannot be used.</exception>
    public static ServerOptions Of(
        PipelineConfiguration configuration,
        WorkerOptions options,
        IndexingOptions indexing,
        bool hasPort = true
    )
    {
        var server = configuration.Server;
        var isAsConfigured = hasPort && options.Url is null;
        var files =
            isAsConfigured && server.Certificate is { } from
                ? new CertificateFiles(from.File, from.Key, from.Password)
                : null;
        try
        {
            return new ServerOptions
            {
                Url = options.Url ?? server.Url,
                Certificate = files?.Load(),
                CertificateFiles = files,
                Clients = isAsConfigured ? [.. server.Clients.Select(PermissionOf)] : [],
                AllowInsecure = server.AllowInsecure,
                DatabaseAdminsSendCSharp = server.Scripts.Csharp == ServerCSharpAccess.DatabaseAdmin,
                // The cluster keeps one database; those that clients make would be on one node only.
                DataFolder =
                    options.InMemory || configuration.Cluster is not null
                        ? null
                        : Path.Combine(options.DataFolder ?? configuration.Database.Path, DatabasesFolder),
                CreatesDatabases = server.CreatesDatabases && configuration.Cluster is null,
                QueryWait = options.QueryWait,
                Database = new DatabaseOptions
                {
                    Indexing = indexing,
                    Compress = configuration.Database.Compress,
                    Storage = StorageSettings.Of(configuration, folder: null),
                },
                Compression = server.Compression switch
                {
                    ServerCompression.Always => AnswerCompression.Always,
                    ServerCompression.Never => AnswerCompression.Never,
                    _ => AnswerCompression.Remote,
                },
                Limits = LimitsOf(server.Limits),
                HasPort = hasPort,
                Time = options.Time,
                Loggers = options.Loggers,
            };
        }
        catch (CertificateFileException e)
        {
            throw new WorkerException($"{e.Message.TrimEnd('.')} (server.certificate)", ExitCodes.Usage, e);
        }
    }

    private static ServerLimits LimitsOf(ServerLimitsConfiguration limits) =>
        new()
        {
            MaxRequestBytes = limits.RequestBytes,
            MaxRequestMemory = limits.RequestMemory,
            MaxMemory = limits.Memory,
            MaxRequestTime = limits.RequestTime,
            MaxHeadTime = limits.HeadTime,
            MaxIdleTime = limits.IdleTime,
            MaxConnections = limits.Connections,
            MaxDatabases = limits.Databases,
            DrainTime = limits.DrainTime,
        };

    private static ClientPermission PermissionOf(ServerClientConfiguration client) =>
        new()
        {
            Name = client.Name,
            Thumbprint = CertificateThumbprint.TryParse(client.Thumbprint, out var thumbprint)
                ? thumbprint
                : throw new WorkerException($"the thumbprint of client '{client.Name}' is not valid", ExitCodes.Usage),
            IsAdmin = client.Admin,
            SeesMetrics = client.Metrics,
            Databases = client.Databases.ToDictionary(
                d => d.Key,
                d => AccessOf(d.Value),
                StringComparer.OrdinalIgnoreCase
            ),
        };

    private static DatabaseAccess AccessOf(ServerAccess access) =>
        access switch
        {
            ServerAccess.Admin => DatabaseAccess.Admin,
            ServerAccess.ReadWrite => DatabaseAccess.ReadWrite,
            _ => DatabaseAccess.Read,
        };
}
