using System.Text.Json;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.Server.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>Backups that another node makes for the leader. The leader waits for them and records them.</content>
internal sealed partial class ClusterMember : IBackupHelper
{
    private const int MaxHelpers = 3;
    private static readonly TimeSpan HelpRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan ReportEvery = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SilenceTimeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan CatchUpTimeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan CatchUpLook = TimeSpan.FromMilliseconds(20);
    private readonly CancellationTokenSource _orders = new();
    private volatile string? _makes;

    /// <summary>How long the leader looks for a node that makes a backup before it makes the backup itself.</summary>
    public TimeSpan HelpTimeout { get; set; } = TimeSpan.FromMinutes(1);

    /// <inheritdoc/>
    public async Task<BackupReport?> TryRunAsync(
        BackupDefinition definition,
        BackupKind? kind,
        string? run,
        IProgress<BackupProgress> progress,
        CancellationToken ct
    )
    {
        if (definition.Node == Self.Name)
            return null;
        var began = _time.GetTimestamp();
        var failed = new HashSet<string>(StringComparer.Ordinal);
        for (var attempts = 0; ; )
        {
            var (node, problem) = await FindHelperAsync(definition.Node, failed, ct).ConfigureAwait(false);
            if (node is not null)
            {
                var order = new BackupOrder(
                    node.Name,
                    Self.Name,
                    definition.Name,
                    kind,
                    run,
                    _database.Storage.LastCommittedTransaction
                );
                (var report, problem) = await OrderAsync(node, order, progress, ct).ConfigureAwait(false);
                if (report is not null)
                    return report;
                ClusterLog.HelperFailed(_logger, Self.Name, definition.Name, node.Name, problem!);
                attempts++;
                failed.Add(node.Name);
                began = _time.GetTimestamp();
            }
            if (attempts == MaxHelpers || _time.GetElapsedTime(began) >= HelpTimeout)
            {
                ClusterLog.MakesItself(_logger, Self.Name, definition.Name, definition.Node, problem!);
                return null;
            }
            await Task.Delay(HelpRetry, _time, ct).ConfigureAwait(false);
        }
    }

    /// <summary>Makes a backup for the leader. Cancels it if another node leads.</summary>
    /// <param name="backups">This node's backups.</param>
    /// <param name="order">What the leader asks for.</param>
    /// <param name="send">Sends a line of the answer.</param>
    /// <param name="ct">Cancels the backup: the leader no longer waits.</param>
    /// <exception cref="ClusterException">The order is for another node, or this node leads.</exception>
    public async Task MakeBackupAsync(
        BackupService backups,
        BackupOrder order,
        Func<BackupOrderLine, CancellationToken, Task> send,
        CancellationToken ct
    )
    {
        if (order.Node != Self.Name)
            throw new ClusterException($"the order is for '{order.Node}', but this node is '{Self.Name}'");
        if (Leads)
            throw new ClusterException($"'{Self.Name}' leads, so it takes no orders for backups");
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct, _orders.Token);
        var last = new LastProgress();
        var work = MakeAsync(backups, order, last, stop.Token);
        var deposed = _driver.WaitAsync(s => s.Leader is { } leader && leader != order.Leader, stop.Token);
        try
        {
            while (true)
            {
                var tick = Task.Delay(ReportEvery, _time, stop.Token);
                if (await Task.WhenAny(work, deposed, tick).ConfigureAwait(false) != tick)
                    break;
                await send(new BackupOrderLine { Progress = last.Value }, stop.Token).ConfigureAwait(false);
            }
            if (!work.IsCompleted)
                await stop.CancelAsync().ConfigureAwait(false);
            await send(await work.ConfigureAwait(false), ct).ConfigureAwait(false);
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await Task.WhenAll(work, deposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<BackupOrderLine> MakeAsync(
        BackupService backups,
        BackupOrder order,
        LastProgress progress,
        CancellationToken ct
    )
    {
        try
        {
            await CatchUpAsync(order.After, ct).ConfigureAwait(false);
            _makes = order.Backup;
            ClusterLog.MakesForLeader(_logger, Self.Name, order.Backup, order.Leader);
            var report = await backups
                .RunForLeaderAsync(order.Backup, order.Kind, order.Run, progress, ct)
                .ConfigureAwait(false);
            return new BackupOrderLine { Results = [.. report.Destinations.Select(BackupOrderResult.Of)] };
        }
        catch (Exception e)
            when (e is BackupException or StorageException or IOException or ClusterException
                || e is OperationCanceledException
            )
        {
            return new BackupOrderLine
            {
                Error = e is OperationCanceledException ? $"the backup was cancelled at '{Self.Name}'" : e.Message,
            };
        }
        finally
        {
            _makes = null;
        }
    }

    /// <summary>Waits until the store has a transaction: the backup must contain its own place in the log.</summary>
    private async Task CatchUpAsync(long transaction, CancellationToken ct)
    {
        var began = _time.GetTimestamp();
        while (_database.Storage.LastCommittedTransaction < transaction)
        {
            if (_time.GetElapsedTime(began) > CatchUpTimeout)
                throw new ClusterException($"'{Self.Name}' is behind the log and cannot make a backup now");
            await Task.Delay(CatchUpLook, _time, ct).ConfigureAwait(false);
        }
    }

    /// <summary>The node to ask for a backup, preferably one that has not failed; or why there is none.</summary>
    private async Task<(ServerNode? Node, string? Problem)> FindHelperAsync(
        string wanted,
        HashSet<string> failed,
        CancellationToken ct
    )
    {
        var nodes = Nodes
            .Where(n => n.Name != Self.Name && (wanted == BackupDefinition.AtFollower || n.Name == wanted))
            .ToList();
        if (nodes.Count == 0)
            return (null, wanted == BackupDefinition.AtFollower ? "no other node is known" : "it is not known");
        var views = await Task.WhenAll(nodes.Select(n => AskAsync(n, ct))).ConfigureAwait(false);
        var best = views
            .Where(v =>
                v is { Role: "follower", Problem: null }
                && _database.Storage.LastCommittedTransaction - v.Transaction <= MaxLag
            )
            .MaxBy(v => (!failed.Contains(v.Node), v.Transaction));
        return best is not null
            ? (nodes.First(n => n.Name == best.Node), null)
            : (
                null,
                string.Join(
                    ", ",
                    views.Select(v => $"{v.Node} is {v.Role}{(v.Problem is null ? "" : ": " + v.Problem)}")
                )
            );
    }

    /// <summary>Asks a node to make a backup; returns the report, or why there is none.</summary>
    private async Task<(BackupReport? Report, string? Problem)> OrderAsync(
        ServerNode node,
        BackupOrder order,
        IProgress<BackupProgress> progress,
        CancellationToken ct
    )
    {
        var began = _time.GetTimestamp();
        ClusterLog.HelperMakes(_logger, Self.Name, order.Backup, node.Name);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(SilenceTimeout);
        try
        {
            using var answer = await _client.BeginPostAsync(node, order.Path, late.Token).ConfigureAwait(false);
            var stream = await answer.Content.ReadAsStreamAsync(late.Token).ConfigureAwait(false);
            await using var closing = stream.ConfigureAwait(false);
            using var reader = new StreamReader(stream);
            while (await reader.ReadLineAsync(late.Token).ConfigureAwait(false) is { } text)
            {
                late.CancelAfter(SilenceTimeout);
                var line = BackupOrderLine.Parse(text);
                if (line.Error is not null)
                    return (null, line.Error);
                if (line.Results is { } results)
                {
                    return (
                        new BackupReport(
                            order.Backup,
                            _time.GetElapsedTime(began),
                            [.. results.Select(r => r.ToReport())]
                        ),
                        null
                    );
                }
                if (line.Progress is { } done)
                    progress.Report(done);
            }
            return (null, "its answer ended before the backup was complete");
        }
        catch (Exception e)
            when ((e is HttpRequestException or IOException or JsonException or OperationCanceledException)
                && !ct.IsCancellationRequested
            )
        {
            return (null, e is OperationCanceledException ? "it no longer answers" : e.Message);
        }
    }

    private sealed class LastProgress : IProgress<BackupProgress>
    {
        private volatile object? _last;

        public BackupProgress? Value => _last as BackupProgress?;

        public void Report(BackupProgress value) => _last = value;
    }
}
