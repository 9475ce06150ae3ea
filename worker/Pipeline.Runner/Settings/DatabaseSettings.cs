using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Runner.Settings;

/// <summary>Converts a configuration's settings of its database.</summary>
internal static class DatabaseSettings
{
    /// <summary>The folder of the database, or null if it is in memory.</summary>
    public static string? Folder(PipelineConfiguration configuration, RunnerOptions options) =>
        options.InMemory ? null : options.DataFolder ?? configuration.Database.Path;

    /// <summary>The options of the configuration's own database.</summary>
    public static DatabaseOptions Of(
        PipelineConfiguration configuration,
        RunnerOptions options,
        IndexingOptions indexing
    )
    {
        var folder = Folder(configuration, options);
        return new()
        {
            Name = configuration.Database.Name,
            Path = folder,
            QueryWait = options.QueryWait ?? IndexWait.DefaultTimeout,
            TimeProvider = options.Time,
            LoggerFactory = options.Loggers,
            Indexing = indexing,
            Compress = configuration.Database.Compress,
            KeepTraces = configuration.Database.KeepTraces,
            Revisions = configuration.Database.Revisions?.ToConfiguration(),
            Expiration = configuration.Database.Expiration?.ToConfiguration(),
            Storage = StorageSettings.Of(configuration, folder) with { IsReplica = configuration.Cluster is not null },
        };
    }
}
