using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Runner.Settings;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>The log that was begun.</summary>
/// <param name="Log">The log.</param>
/// <param name="Node">The node whose database it begins with.</param>
/// <param name="Transaction">The log's first transaction.</param>
/// <param name="NewLineage">
/// Whether the database may lack changes that the cluster had acknowledged, so ETL tasks wait for a decision.
/// </param>
internal sealed record NewLogView(string Log, string Node, long Transaction, bool NewLineage);

/// <summary>
/// Begins an empty log with the database of a node that does not run. The database belonged to no cluster, its log has
/// ended, or its cluster has lost the log.
/// </summary>
internal static class NewLog
{
    private const string Reason = "the database began a new log, and the end of the previous log is not known";

    /// <summary>Begins the log that a configuration names. If it is interrupted, the same call resumes.</summary>
    /// <param name="configuration">The node's configuration.</param>
    /// <param name="acceptsLoss">
    /// Whether the database may lack changes that other nodes had acknowledged. If not, it must have read the end of
    /// its
    /// log, or never have followed one.
    /// </param>
    /// <param name="time">The clock.</param>
    /// <param name="loggers">The loggers.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="ClusterException">
    /// The database or the log cannot be used for it. Nothing was changed.
    /// </exception>
    /// <exception cref="SharedLogException">The log cannot be used.</exception>
    /// <exception cref="StorageException">The database cannot be opened.</exception>
    public static async Task<NewLogView> BeginAsync(
        PipelineConfiguration configuration,
        bool acceptsLoss,
        TimeProvider time,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var cluster =
            configuration.Cluster
            ?? throw Refused($"{configuration.File} has no section 'cluster', so it names no log to begin");
        var options = new RunnerOptions { Time = time, Loggers = loggers };
        var database = DatabaseSettings.Of(configuration, options, new IndexingOptions { Enabled = false });
        var store = database.Storage with { Path = database.Path, TimeProvider = time };
        if (!File.Exists(Path.Combine(database.Path!, StoreFolder.DataName)))
        {
            throw Refused(
                $"there is no database in {database.Path}; an empty log needs no beginning: start the nodes with 'pipeline run'"
            );
        }
        NodeNameFile.Check(database.Path!, cluster.Node);
        // This comes before the log, because it fails while another process has the database open.
        LogBeginning.NextTransaction(store);
        var log = await SharedLogs.OpenAsync(configuration, time, loggers, ct).ConfigureAwait(false);
        await using (log.ConfigureAwait(false))
        {
            var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
            var isNew = bounds.End == 0;
            var hasFollowed = LogBeginning.HasFollowed(store);
            var loses = hasFollowed && !LogBeginning.HasReadTheEnd(store);
            if (isNew && loses && !acceptsLoss)
            {
                throw Refused(
                    $"the database in {database.Path} follows another log and has not read its end, so it may lack changes that were acknowledged. End that log with 'pipeline cluster end' if it still works. If it is lost, add --accept-loss"
                );
            }
            if (isNew && (loses || !hasFollowed))
                await OpenAloneAsync(database, loses, ct).ConfigureAwait(false);
            var first = await LogBeginning.WriteAsync(store, log, cluster.Node, ct).ConfigureAwait(false);
            ClusterLog.Begun(loggers.CreateLogger("Pipeline.Cluster"), cluster.Node, log.Name, first);
            return new NewLogView(log.Name, cluster.Node, first, isNew && loses);
        }
    }

    /// <summary>
    /// Opens the database outside of a cluster, which recovers it and detects a restore or a copy. A database that may
    /// have lost changes gets a new lineage, because other changes may get positions that consumers have seen.
    /// </summary>
    private static async Task OpenAloneAsync(DatabaseOptions options, bool loses, CancellationToken ct)
    {
        var alone = options.Storage with { IsReplica = false, OpensReplicaAlone = true };
        var database = DocumentDatabase.Open(options with { Storage = alone });
        await using (database.ConfigureAwait(false))
        {
            var next = database.LastPosition + 1;
            if (loses && !(database.Lineages.Current is { IsOfOpening: true } current && current.First >= next))
                await database.BeginLineageAsync(database.Lineages, next, Reason, ct).ConfigureAwait(false);
        }
    }

    private static ClusterException Refused(string message) => new(message, isUsage: true);
}
