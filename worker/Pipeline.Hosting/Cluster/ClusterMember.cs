using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Certificates;
using Pipeline.Server.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// This worker as a node of a cluster: its log, the driver that runs the node, and its view of the others. The caller
/// owns the database, and closes it after this object. Thread-safe.
/// </summary>
internal sealed partial class ClusterMember : IServerCluster, IAsyncDisposable
{
    private static readonly TimeSpan UpkeepEvery = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan BehindTolerance = TimeSpan.FromSeconds(5);

    private readonly ClusterConfiguration _configuration;
    private readonly DocumentDatabase _database;
    private readonly ISharedLog _log;
    private readonly PositionFile _position;
    private readonly string _folder;
    private readonly NodeDriver _driver;
    private readonly NodeRegistry _registry;
    private readonly NodeClient _client;
    private readonly LogTrimmer _trimmer;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private Task _upkeep = Task.CompletedTask;
    private Task _trimming = Task.CompletedTask;
    private Task _ending = Task.CompletedTask;
    private long _caughtUpAt;
    private volatile bool _isJoining;
    private long? _joinedAt;
    private int _disposed,
        _stops;

    private ClusterMember(
        ClusterConfiguration configuration,
        DocumentDatabase database,
        ISharedLog log,
        string folder,
        PositionFile position,
        int format,
        string? actors,
        NodeClient client,
        TimeProvider time,
        ILogger logger
    )
    {
        (_configuration, _database, _log, _folder, _position, _client, _time, _logger) = (
            configuration,
            database,
            log,
            folder,
            position,
            client,
            time,
            logger
        );
        Self = new ServerNode(configuration.Node, configuration.Url) { Format = format, Actors = actors };
        _registry = new NodeRegistry(database, time);
        _elections = new ElectionHistory(database);
        _driver = new NodeDriver(
            database.Storage,
            position,
            log,
            new NodeOptions(configuration.Node, Guid.NewGuid())
            {
                Seed = Guid.NewGuid().GetHashCode(),
                Address = configuration.Url.GetLeftPart(UriPartial.Authority),
                Format = format,
            },
            new DriverOptions { Time = time }
        );
        _trimmer = new LogTrimmer(database.Storage, log, OptionsOf(configuration.Log.Trim), time, () => Status.Origin);
        _caughtUpAt = time.GetTimestamp();
        _isJoining = database.Storage.LastCommittedTransaction == 0;
    }

    /// <inheritdoc/>
    public ServerNode Self { get; }

    /// <inheritdoc/>
    public string Database => _database.Name;

    /// <inheritdoc/>
    public bool Leads => _database.Storage.Role == StorageRole.Leader && !_driver.Status.HandsOver;

    /// <inheritdoc/>
    public bool IsJoining => _isJoining;

    /// <inheritdoc/>
    public bool HoldsLease => _database.Storage.HoldsLease;

    /// <inheritdoc/>
    public bool ReadsAtFollowers => _configuration.Reads == ClusterReads.Follower;

    /// <inheritdoc/>
    public bool ReadsConfirmed => _configuration.Reads == ClusterReads.Log;

    /// <inheritdoc/>
    public IReadOnlyList<CertificateThumbprint> Certificates => _client.Nodes;

    /// <summary>This node's certificate with its key; null without TLS. The caller must not dispose it.</summary>
    public X509Certificate2? Certificate => _client.Certificate;

    /// <inheritdoc/>
    public HttpMessageInvoker Client => _client.Invoker;

    /// <inheritdoc/>
    public ServerNode? Leader =>
        _driver.Status.Leader is not { } name ? null
        : name == Self.Name ? Self
        : _registry.Find(name);

    /// <inheritdoc/>
    public IReadOnlyList<ServerNode> Nodes
    {
        get
        {
            var leader = _driver.Status.Leader;
            return [.. _registry.Nodes.OrderBy(n => n.Name == leader ? 0 : 1)];
        }
    }

    /// <inheritdoc/>
    public long TopologyVersion => (_driver.Status.Epoch << 20) + _registry.Version;

    /// <summary>What this node is doing.</summary>
    public NodeStatus Status => _driver.Status;

    /// <summary>Opens the log and starts the node, which then follows.</summary>
    /// <param name="configuration">The configuration; its cluster is not null.</param>
    /// <param name="database">The database, opened as a replica.</param>
    /// <param name="folder">The database's folder.</param>
    /// <param name="format">The newest format of the log that the node knows.</param>
    /// <param name="time">The clock.</param>
    /// <param name="loggers">The loggers.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="SharedLogException">The log cannot be used.</exception>
    /// <exception cref="CertificateFileException">The server's certificate cannot be used.</exception>
    public static async Task<ClusterMember> OpenAsync(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        string folder,
        int format,
        TimeProvider time,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var cluster = configuration.Cluster!;
        var logger = loggers.CreateLogger("Pipeline.Cluster");
        var client = NodeClient.Of(configuration);
        ISharedLog? log = null;
        PositionFile? position = null;
        try
        {
            log = await SharedLogs.OpenAsync(configuration, time, loggers, ct).ConfigureAwait(false);
            position = PositionFile.Open(NativeStorageFiles.Instance, folder);
            NodeNameFile.Write(folder, cluster.Node);
            var actors = configuration.Actors?.Cluster?.AddressAt(cluster.Url);
            var member = new ClusterMember(
                cluster,
                database,
                log,
                folder,
                position,
                format,
                actors,
                client,
                time,
                logger
            );
            ClusterLog.Opened(logger, cluster.Node, cluster.Name, log.Name, member.Status.Place);
            ClusterMetrics.Register(member);
            database.Storage.PageSource = member;
            member._driver.Start();
            member._upkeep = Task.Run(() => member.KeepUpAsync(member._stop.Token), CancellationToken.None);
            member._trimming = Task.Run(() => member.KeepTrimmedAsync(member._stop.Token), CancellationToken.None);
            member._watching = Task.Run(() => member.WatchAsync(member._stop.Token), CancellationToken.None);
            return member;
        }
        catch
        {
            position?.Dispose();
            if (log is not null)
                await log.DisposeAsync().ConfigureAwait(false);
            client.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task WhenChangedAsync(CancellationToken ct)
    {
        var before = _driver.Status;
        return _driver.WaitAsync(s => s != before, ct);
    }

    /// <inheritdoc/>
    public Task<bool> ConfirmAsync(CancellationToken ct) => _driver.ConfirmAsync(ct);

    /// <inheritdoc/>
    public Task WaitForPositionAsync(long position, CancellationToken ct) =>
        _database.WaitForPositionAsync(position, ct);

    /// <summary>This node's report about itself.</summary>
    public NodeView View() =>
        NodeView.Of(
            Self.Name,
            Self.Url,
            Status,
            _database.Storage.LastCommittedTransaction,
            _database.LastPosition
        ) with
        {
            Format = Self.Format,
            Process = _start,
            Problem = Problem,
            Doing = _makes is { } backup ? $"makes the backup {backup}" : null,
        };

    /// <summary>
    /// Prepares the node for its end. Backups that it makes for the leader are cancelled; the leader asks another node.
    /// Nobody waits for a log that is silent from now on.
    /// </summary>
    public void BeginToStop()
    {
        if (Interlocked.Exchange(ref _stops, 1) != 0)
            return;
        _orders.Cancel();
        _ending = _driver.EndWhereSilentAsync();
    }

    /// <summary>Stops the node. A leader accepts no more writes and waits for those already accepted.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        ClusterMetrics.Unregister(this);
        _database.Storage.PageSource = null;
        BeginToStop();
        await _stop.CancelAsync().ConfigureAwait(false);
        await _upkeep.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _trimming.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _driver.DisposeAsync().ConfigureAwait(false);
        await _ending.ConfigureAwait(false);
        if (Status.Failure is LogSilentException)
            ClusterLog.EndedWithoutLog(_logger, Self.Name);
        await _log.DisposeAsync().ConfigureAwait(false);
        _position.Dispose();
        _client.Dispose();
        _stop.Dispose();
        _orders.Dispose();
    }

    /// <summary>
    /// The node's part of <c>/health/ready</c>. A node that is behind, or has no log, is degraded but ready; it is not
    /// ready only if an operator must act.
    /// </summary>
    public (bool IsWell, bool IsReady, string Detail) Check()
    {
        var status = Status;
        var problem = Problem;
        var leads = status.Role == NodeRole.Leading;
        var behind = _time.GetElapsedTime(_caughtUpAt);
        var isBehind = !leads && behind > BehindTolerance;
        var detail = string.Create(
            CultureInfo.InvariantCulture,
            $"{NodeTexts.RoleOf(status)}{(leads ? "" : $" of {status.Leader ?? "nobody yet"}")}, epoch {status.Epoch}, place {status.Place}"
        );
        if (isBehind)
            detail += string.Create(CultureInfo.InvariantCulture, $", behind the log for {behind.TotalSeconds:0} s");
        if (leads && LogUse is { } use && string.Join(", ", use.OldBackups) is { Length: > 0 } old)
            detail += $"; the log is no longer kept for the backup {old}: it has not finished for too long";
        return (problem is null && !isBehind, !NodeTexts.NeedsOperator(status), problem ?? detail);
    }
}
