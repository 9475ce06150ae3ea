using Pipeline.Backups;
using Pipeline.Etl.Runner;
using Pipeline.Hosting.Actors;
using Pipeline.Hosting.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <content>
/// A worker that is a node of a cluster. Every node has the database and serves it; only the one that leads runs tasks,
/// subscriptions, backups and actors, from the positions that the database holds.
/// </content>
public sealed partial class PipelineWorker
{
    private static readonly TimeSpan TermRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(5);
    private ClusterMember? _cluster;
    private ActorCluster? _actorCluster;
    private EtlPlan? _plan;
    private volatile bool _acts;

    /// <summary>Whether what the leader alone does runs here.</summary>
    internal bool Acts => _acts;

    /// <summary>This worker as a node; null if it is alone.</summary>
    internal ClusterMember? Cluster => _cluster;

    private async Task RunInClusterAsync(CancellationToken cancellationToken)
    {
        _run.Start();
        Backups.Start();
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var acting = Database.RunAtLeaderAsync(BeginTermAsync, ends.Token);
        var exporting = ExportSetAsideAsync(ends.Token);
        var playing = _actorCluster?.RunAsync(ends.Token) ?? Task.CompletedTask;
        var checking = _options.Listens ? _cluster!.CheckAddressAsync(ends.Token) : Task.CompletedTask;
        var refilling = _cluster!.WhenRefillAsync().WaitAsync(ends.Token);
        var watching = new ConfigurationWatch(
            () => Configuration,
            _options.Time,
            _logger,
            ct => ApplyAsync(["*"], ct)
        ).RunAsync(ends.Token);
        await Task.WhenAny(watching, refilling).ConfigureAwait(false);
        WorkerLog.Stopping(_logger);
        _cluster.BeginToStop();
        var isToBeFilled = refilling.IsCompletedSuccessfully;
        await ends.CancelAsync().ConfigureAwait(false);
        await watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await refilling.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await exporting.ConfigureAwait(false);
        await checking.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        using (var late = new CancellationTokenSource(LeaveTimeout, _options.Time))
        {
            await _cluster.LeaveAsync(late.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        await acting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await playing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _run.StopAsync().ConfigureAwait(false);
        // As before: a watch that failed ends the run.
        if (watching.IsFaulted)
            await watching.ConfigureAwait(false);
        if (isToBeFilled)
            throw new NodeRestartException(_cluster.Self.Name);
    }

    /// <summary>Starts what the leader alone does; tries again for as long as this node leads.</summary>
    private async Task<IAsyncDisposable> BeginTermAsync(CancellationToken over)
    {
        while (true)
        {
            try
            {
                await ActAsync(over).ConfigureAwait(false);
                ClusterLog.TermBegan(_logger);
                return new Term(this);
            }
#pragma warning disable CA1031 // Whatever it is, this node leads: it says why nothing runs, and tries again.
            catch (Exception e) when (!over.IsCancellationRequested)
#pragma warning restore CA1031
            {
                ClusterLog.TermFailed(_logger, e);
                await EndTermAsync().ConfigureAwait(false);
            }
            catch
            {
                await EndTermAsync().ConfigureAwait(false);
                throw;
            }
            await Task.Delay(TermRetry, _options.Time, over).ConfigureAwait(false);
        }
    }

    private async Task ActAsync(CancellationToken over)
    {
        var configuration = Configuration;
        await _cluster!.BeginTermAsync(over).ConfigureAwait(false);
        Subscriptions.BeginTerm();
        if (configuration.Database.Revisions?.ToConfiguration() is { } revisions)
            await Database.Revisions.ConfigureAsync(revisions, over).ConfigureAwait(false);
        if (configuration.Database.Expiration?.ToConfiguration() is { } expiration)
            await Database.Expiration.ConfigureAsync(expiration, over).ConfigureAwait(false);
        await EnsureAsync(configuration, over).ConfigureAwait(false);
        await ImportAsync(over).ConfigureAwait(false);
        if (configuration.Actors is { Cluster: null } actors)
        {
            _actors = await HostedActors
                .StartAsync(configuration, Database, _options.Loggers, over)
                .ConfigureAwait(false);
            WorkerLog.ActorsStarted(_logger, actors.System, actors.Start);
        }
        over.ThrowIfCancellationRequested();
        _acts = true;
        await _etl.ApplyAsync(_plan!, over).ConfigureAwait(false);
        Backups.BeginTerm();
    }

    private async Task EndTermAsync()
    {
        _acts = false;
        await TryEndAsync(() =>
            {
                Backups.EndTerm();
                return Task.CompletedTask;
            })
            .ConfigureAwait(false);
        await TryEndAsync(() => _etl.ApplyAsync(new EtlPlan(_plan!.BaseDirectory, []), CancellationToken.None))
            .ConfigureAwait(false);
        if (_actors is { } actors)
        {
            _actors = null;
            await TryEndAsync(() => actors.DisposeAsync().AsTask()).ConfigureAwait(false);
        }
        await TryEndAsync(Subscriptions.EndTermAsync).ConfigureAwait(false);
        ClusterLog.TermEnded(_logger);
    }

    /// <summary>Ends one part; the others end even if it fails, and so does the term.</summary>
    private async Task TryEndAsync(Func<Task> end)
    {
        try
        {
            await end().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // A part that does not end in order writes nothing more: the store refuses its writes.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (e is not (NotLeaderException or NotAcceptedException or OperationCanceledException))
                ClusterLog.EndFailed(_logger, e);
        }
    }

    /// <summary>Tells the cluster of backups. The service that makes them is there before the cluster.</summary>
    private sealed class TermBackups(PipelineWorker worker) : IBackupWatcher
    {
        public Task BeginAsync(string name, CancellationToken ct) =>
            worker._cluster?.BeginAsync(name, ct) ?? Task.CompletedTask;

        public Task EndAsync(string name, bool isWhole) =>
            worker._cluster?.EndAsync(name, isWhole) ?? Task.CompletedTask;
    }

    private sealed class Term(PipelineWorker worker) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await worker.EndTermAsync().ConfigureAwait(false);
    }
}
