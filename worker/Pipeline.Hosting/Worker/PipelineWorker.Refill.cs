using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Metrics;
using Pipeline.Runner.Settings;

namespace Pipeline.Hosting;

/// <content>A node that begins without a copy of the database, or with one of no use.</content>
public sealed partial class PipelineWorker
{
    private DatabaseOptions _ofDatabase = new();

    private static DatabaseOptions OptionsOf(
        PipelineConfiguration configuration,
        WorkerOptions options,
        IndexingOptions indexing
    )
    {
        var settings = DatabaseSettings.Of(configuration, options, indexing);
        return options.Captures is null
            ? settings
            : settings with
            {
                Storage = settings.Storage with { Encryption = null, IsReplica = false },
            };
    }

    /// <summary>
    /// Sets a folder aside that a person has given up, and fills the node if its store cannot follow the log. Meanwhile
    /// the port reports the progress, and passes requests on to the leader.
    /// </summary>
    private static async Task FillAsync(
        PipelineConfiguration configuration,
        WorkerOptions options,
        DatabaseOptions ofDatabase,
        CancellationToken cancellationToken
    )
    {
        var store = ofDatabase.Storage with { Path = ofDatabase.Path, TimeProvider = options.Time };
        try
        {
            NodeNameFile.Check(store.Path!, configuration.Cluster!.Node);
            SetAsideFolder.MoveIfRequested(store, configuration.Cluster.Node, options.Loggers);
            var refill = await NodeRefill
                .FindAsync(configuration, store, options.Time, options.Loggers, cancellationToken)
                .ConfigureAwait(false);
            if (refill is null)
                return;
            await using (refill.ConfigureAwait(false))
            {
                if (!options.Listens)
                {
                    await refill.RunAsync(cancellationToken).ConfigureAwait(false);
                    return;
                }
                using var metrics = new MetricCollector(MetricCollector.IsOurs);
                var server = await WorkerServer
                    .StartAsync(
                        ServerSettings.Of(configuration, options, ofDatabase.Indexing) with
                        {
                            Cluster = refill,
                        },
                        _ => ValueTask.FromResult(Describe(refill)),
                        metrics,
                        own: null,
                        ofDatabase.Path!,
                        cancellationToken,
                        filling: refill
                    )
                    .ConfigureAwait(false);
                await using (server.ConfigureAwait(false))
                    await refill.RunAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch (ClusterException e)
        {
            throw new WorkerException(e.Message, ExitCodes.Usage, e);
        }
    }

    private static ReadinessReport Describe(NodeRefill refill)
    {
        var progress = refill.Progress;
        var detail = progress.Problem is { } problem
            ? $"{progress.Text}; the last try failed: {problem}"
            : progress.Text;
        return ReadinessReport.Of([new ReadinessCheck("cluster", Ok: false, detail) { IsWarning = true }]);
    }

    /// <summary>
    /// Exports what only folders have that were set aside, once this node has all that the log holds.
    /// </summary>
    private async Task ExportSetAsideAsync(CancellationToken cancellationToken)
    {
        try
        {
            foreach (var folder in SetAsideFolder.ToExport(_ofDatabase.Path!))
            {
                await _cluster!.WhenCaughtUpAsync(cancellationToken).ConfigureAwait(false);
                await SetAsideFolder
                    .ExportAsync(folder, _ofDatabase, Database, _options.Loggers, cancellationToken)
                    .ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The next start goes on.
        }
    }
}
