using System.Text.Json;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.Server.Cluster;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Fills this node's folder with a copy of another node's stores, before its own are opened. It retries until a copy is
/// complete. Each attempt starts from the beginning, with another node if possible. Meanwhile it knows the leader, so
/// the server can forward requests. Thread-safe.
/// </summary>
internal sealed partial class NodeRefill : IAsyncDisposable
{
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(30);
    private static readonly RetryBackoff Retries = new(TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(15));
    private static readonly TimeSpan ReportEvery = TimeSpan.FromSeconds(5);

    private readonly ClusterConfiguration _cluster;
    private readonly string _database;
    private readonly ISharedLog _log;
    private readonly NodeClient _client;
    private readonly StorageOptions _store;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly HashSet<string> _failed = new(StringComparer.Ordinal);
    private volatile ClusterView? _view;

    private NodeRefill(
        PipelineConfiguration configuration,
        ISharedLog log,
        NodeClient client,
        StorageOptions store,
        TimeProvider time,
        ILogger logger
    )
    {
        (_cluster, _database) = (configuration.Cluster!, configuration.Database.Name);
        (_log, _client, _store, _time, _logger) = (log, client, store, time, logger);
        Self = new ServerNode(_cluster.Node, _cluster.Url);
    }

    /// <summary>The progress of the refill.</summary>
    public RefillProgress Progress { get; } = new();

    /// <summary>Checks whether a node must be refilled before its store can follow the log.</summary>
    /// <param name="configuration">The configuration, with a cluster.</param>
    /// <param name="store">The node's store, which is not open.</param>
    /// <param name="time">The clock.</param>
    /// <param name="loggers">The loggers.</param>
    /// <param name="ct">Cancels the check.</param>
    /// <returns>The refill; null if the node can follow, or can read the log from its beginning.</returns>
    /// <exception cref="SharedLogException">The log cannot be used.</exception>
    /// <exception cref="ClusterException">The folder has a database that is not a copy of the cluster's.</exception>
    public static async Task<NodeRefill?> FindAsync(
        PipelineConfiguration configuration,
        StorageOptions store,
        TimeProvider time,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var logger = loggers.CreateLogger("Pipeline.Cluster");
        var client = NodeClient.Of(configuration);
        ISharedLog? log = null;
        try
        {
            log = await SharedLogs.OpenAsync(configuration, time, loggers, ct).ConfigureAwait(false);
            if (BackupPosition.Find(store) is { } restored)
            {
                await ContinueRestoredAsync(restored, store, log, configuration.Cluster!, time, logger, ct)
                    .ConfigureAwait(false);
            }
            var need = await FindNeedAsync(store, log, configuration.Cluster!.Node, time, logger, ct)
                .ConfigureAwait(false);
            if (need is not (RefillNeed.None or RefillNeed.Possible))
            {
                if (need == RefillNeed.BehindTrim && !File.Exists(Path.Combine(store.Path!, PositionFile.Name)))
                {
                    throw new ClusterException(
                        $"The database in {store.Path} was never a copy of the cluster '{configuration.Cluster!.Name}'. The log no longer begins with the first record, so the node cannot copy it from there. Move the folder away, or choose another one (database.path): this node is then filled from another node.",
                        isUsage: true
                    );
                }
                ClusterLog.NeedsRefill(logger, configuration.Cluster!.Node, Why(need));
                var refill = new NodeRefill(configuration, log, client, store, time, logger);
                (log, client) = (null, null);
                return refill;
            }
            return null;
        }
        finally
        {
            if (log is not null)
                await log.DisposeAsync().ConfigureAwait(false);
            client?.Dispose();
        }
    }

    /// <summary>Makes a restored store continue at its place in the log, if the log still has that place.</summary>
    private static async Task ContinueRestoredAsync(
        ReadPosition restored,
        StorageOptions store,
        ISharedLog log,
        ClusterConfiguration cluster,
        TimeProvider time,
        ILogger logger,
        CancellationToken ct
    )
    {
        var (bounds, first) = await SharedLogs
            .UntilAvailableAsync(
                async stop =>
                    (
                        await log.GetBoundsAsync(stop).ConfigureAwait(false),
                        await LogBeginning.FindAsync(log, stop).ConfigureAwait(false)
                    ),
                cluster.Node,
                time,
                logger,
                ct
            )
            .ConfigureAwait(false);
        if (
            bounds.End < restored.Place
            || LogBeginning.OriginOf(first) is { } origin && origin != restored.State.Origin
        )
        {
            throw new ClusterException(
                $"The database in {store.Path} was restored from a backup that needs another log than {log.Name}. If that log is lost, begin an empty one with this database: 'pipeline cluster begin --accept-loss'.",
                isUsage: true
            );
        }
        if (Math.Max(0, restored.Place - 1) >= bounds.First)
        {
            BackupPosition.Adopt(store, restored);
            ClusterLog.Restored(logger, cluster.Node, restored.Place);
            return;
        }
        throw new ClusterException(
            $"The database in {store.Path} was restored from a backup. It needs the log of the cluster '{cluster.Name}' from place {restored.Place} on, but the log begins with place {bounds.First}. If another node still has its data, start that node, then start this one with an empty folder to fill it. Otherwise restore a newer backup.",
            isUsage: true
        );
    }

    /// <summary>Checks whether a node must be refilled. Waits while the brokers are unavailable.</summary>
    internal static Task<RefillNeed> FindNeedAsync(
        StorageOptions store,
        ISharedLog log,
        string node,
        TimeProvider time,
        ILogger logger,
        CancellationToken ct
    ) => SharedLogs.UntilAvailableAsync(stop => Refills.FindNeedAsync(store, log, stop), node, time, logger, ct);

    /// <summary>Fills the folder.</summary>
    /// <exception cref="StoreInUseException">Another process has it.</exception>
    public async Task RunAsync(CancellationToken ct)
    {
        var failures = 0;
        while (true)
        {
            TimeSpan wait;
            try
            {
                await TryAsync(ct).ConfigureAwait(false);
                return;
            }
            catch (Exception e) when (IsTransient(e) && !ct.IsCancellationRequested)
            {
                var received = Progress.Received;
                if (Progress.Source is { } source)
                    _failed.Add(source);
                failures = received > 0 ? 1 : failures + 1;
                wait = Retries.After(failures);
                Progress.End(e.Message);
                ClusterLog.RefillFailed(_logger, Self.Name, e.Message, wait);
            }
            await Task.Delay(wait, _time, ct).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _log.DisposeAsync().ConfigureAwait(false);
        _client.Dispose();
    }

    private async Task TryAsync(CancellationToken ct)
    {
        var source = await FindSourceAsync(ct).ConfigureAwait(false);
        using var stall = new StallWatch(StallTimeout, _time, ct);
        try
        {
            using var answer = await _client
                .BeginAsync(source, $"/cluster/copy?node={Uri.EscapeDataString(Self.Name)}", stall.Token)
                .ConfigureAwait(false);
            var expected =
                answer.Headers.TryGetValues(CopyBytesHeader, out var values)
                && long.TryParse(values.First(), out var bytes)
                    ? bytes
                    : 0;
            // The first frame empties the folder.
            CopyRoom.EnsureRoomToReplace(_store, Self.Name, expected);
            Progress.Begin(source.Name, expected);
            ClusterLog.Filling(_logger, Self.Name, source.Name, expected / 1048576.0);
            var began = _time.GetTimestamp();
            var stream = await answer.Content.ReadAsStreamAsync(stall.Token).ConfigureAwait(false);
            var watch = new Watch(this, stall);
            var position = await CopyStream.ReceiveAsync(stream, _store, watch, stall.Token).ConfigureAwait(false);
            ClusterLog.Filled(
                _logger,
                Self.Name,
                source.Name,
                Progress.Received / 1048576.0,
                _time.GetElapsedTime(began),
                position.Place
            );
        }
        catch (OperationCanceledException e) when (stall.HasStalled)
        {
            throw new TimeoutException($"{source.Name} sent nothing for {StallTimeout.TotalSeconds:0} s.", e);
        }
    }

    /// <summary>
    /// Finds the nodes through the log, and chooses one to copy: a follower rather than the leader, which has more
    /// work. Before that, it reports to the leader that this node has nothing, so that the log is kept from here on.
    /// </summary>
    private async Task<ServerNode> FindSourceAsync(CancellationToken ct)
    {
        var address =
            await LeaderSearch.FindAddressAsync(_log, ct).ConfigureAwait(false)
            ?? throw new ClusterException("the log names no node's address yet; start another node");
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(AskTimeout);
        try
        {
            var known = new ServerNode("the last leader", new Uri(address));
            var view = await _client.GetAsync<ClusterView>(known, "/cluster/status", late.Token).ConfigureAwait(false);
            _view = view;
            EnsureSameLog(view);
            await _client
                .PostAsync(Leader ?? known, ClusterMember.HoldPath(Self.Name, 0), late.Token)
                .ConfigureAwait(false);
            var sources = view
                .Nodes.Where(n => n.Node != Self.Name && n is { Role: "leader" or "follower", Problem: null })
                .OrderBy(n => _failed.Contains(n.Node))
                .ThenBy(n => n.Role == "leader")
                .ThenBy(n => n.Lag)
                .ToList();
            if (sources is [var first, ..])
            {
                // When all nodes have failed once, each may be tried again.
                if (_failed.Contains(first.Node))
                    _failed.Clear();
                return new ServerNode(first.Node, new Uri(first.Url));
            }
            throw new ClusterException($"no node of the cluster '{view.Cluster}' can be copied now");
        }
        catch (OperationCanceledException e) when (!ct.IsCancellationRequested)
        {
            throw new TimeoutException($"{address} did not answer within {AskTimeout.TotalSeconds:0} s.", e);
        }
    }

    /// <summary>
    /// The copy replaces the contents of the folder. The log has all of them, unless the folder belongs to another log.
    /// </summary>
    private void EnsureSameLog(ClusterView view)
    {
        if (
            PositionFile.Find(StoreFolder.FilesOf(_store), _store.Path!) is not { } position
            || view.Origin is not { } theirs
            || position.State.Origin.ToString() == theirs
        )
        {
            return;
        }
        throw new ClusterException(
            $"the database in {_store.Path} has read another log, so it may have changes that the cluster '{view.Cluster}' lacks. Move the folder away: this node is then filled."
        );
    }

    private static bool IsTransient(Exception e) =>
        e
            is HttpRequestException
                or IOException
                or TimeoutException
                or JsonException
                or SharedLogException
                or ClusterException
                or UriFormatException
        || (e is StorageException and not StoreInUseException);

    private static string Why(RefillNeed need) =>
        need switch
        {
            RefillNeed.NoStore => "it has no store, and the log no longer begins with the first record",
            RefillNeed.Unfinished => "the last refill or restore was interrupted",
            _ => "the log no longer has the next records",
        };

    /// <summary>Reports the bytes that arrive, and resets the stall timeout.</summary>
    private sealed class Watch(NodeRefill refill, StallWatch stall) : IProgress<long>
    {
        private long _reportedAt = refill._time.GetTimestamp();

        public void Report(long value)
        {
            refill.Progress.Report(value);
            stall.Move();
            if (refill._time.GetElapsedTime(_reportedAt) < ReportEvery)
                return;
            _reportedAt = refill._time.GetTimestamp();
            ClusterLog.FillingOn(refill._logger, refill.Self.Name, refill.Progress.Text);
        }
    }
}
