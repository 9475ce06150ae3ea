using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>
/// Trims the log: every node reports the place up to which its store is durable, and the leader trims what all nodes
/// and backups have.
/// </content>
internal sealed partial class ClusterMember
{
    private static readonly TimeSpan TrimTimeout = TimeSpan.FromSeconds(30);
    private readonly HashSet<(LogHolderKind Kind, string Name)> _silent = [];
    private volatile LogUse? _logUse;

    /// <summary>What the log keeps and who holds it, as of the last check; null before the first.</summary>
    public LogUse? LogUse => _logUse;

    /// <summary>The first place of the log that this node may still read again.</summary>
    public long KeptPlace => _driver.KeptPlace;

    /// <summary>Records from where a node needs the log. Only the leader can do this.</summary>
    /// <param name="name">The node.</param>
    /// <param name="place">The first place that it needs.</param>
    /// <param name="origin">The origin of the log that the place belongs to; null if the node has no store.</param>
    /// <param name="ct">Ends the wait.</param>
    /// <exception cref="ClusterException">The report is invalid, or is about another log.</exception>
    public async Task<bool> HoldAsync(string name, long place, string? origin, CancellationToken ct)
    {
        if (name.Length is 0 or > 64 || place < 0)
            throw new ClusterException($"'{name}' at place {place} is not a node's report", isUsage: true);
        if (origin is not null && origin != Status.Origin.ToString())
            throw new ClusterException($"'{name}' follows another log than '{Self.Name}': compare their cluster.log");
        return await _trimmer.ReportAsync(LogHolderKind.Member, name, place, ct).ConfigureAwait(false);
    }

    /// <summary>The rules of a configuration.</summary>
    public static TrimOptions OptionsOf(LogTrimConfiguration trim) =>
        new()
        {
            KeepRecords = trim.KeepRecords,
            Step = Math.Max(1, trim.KeepRecords / 10),
            GiveUpAfter = trim.SilentAfter,
            MinCopies = trim.Copies,
            GiveUpBackupsAfter = trim.BackupsFor,
        };

    private async Task KeepTrimmedAsync(CancellationToken ct)
    {
        var every = _configuration.Log.Trim.Every;
        var trims = every > TimeSpan.Zero;
        string? reported = null;
        using var timer = new PeriodicTimer(trims ? every : TimeSpan.FromMinutes(1), _time);
        try
        {
            do
            {
                using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
                late.CancelAfter(TrimTimeout);
                string? problem = null;
                try
                {
                    if (trims)
                        await ReportAsync(late.Token).ConfigureAwait(false);
                    await TrimAsync(trims, late.Token).ConfigureAwait(false);
                }
                catch (Exception e) when (e is NotLeaderException or NotAcceptedException or QuarantinedException)
                {
                    // The next leader does it.
                    ClusterLog.NotTrimmed(_logger, LogLevel.Debug, Self.Name, e.Message);
                }
                catch (Exception e)
                    when ((
                            e
                            is SharedLogException
                                or HttpRequestException
                                or StorageException
                                or OperationCanceledException
                        ) && !ct.IsCancellationRequested
                    )
                {
                    problem = e.Message;
                    // The log may be unavailable for long; one line is enough.
                    ClusterLog.NotTrimmed(
                        _logger,
                        problem == reported ? LogLevel.Debug : LogLevel.Warning,
                        Self.Name,
                        problem
                    );
                }
                reported = problem;
            } while (await timer.WaitForNextTickAsync(ct).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            // The worker stops.
        }
    }

    private async Task ReportAsync(CancellationToken ct)
    {
        var status = Status;
        // A node that has stopped is refilled or repaired first; its last report still holds.
        // The place of a process whose name is taken is not that of the member.
        if (status.Stop != NodeStop.None || status.Failure is not null || _namesake is not null)
            return;
        var place = KeptPlace;
        if (Leads)
        {
            await HoldAsync(Self.Name, place, status.Origin.ToString(), ct).ConfigureAwait(false);
        }
        else if (Leader is { } leader && leader.Name != Self.Name)
        {
            await _client.PostAsync(leader, HoldPath(Self.Name, place, status.Origin), ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// The request that reports from where a node needs the log; without an origin, from its first record.
    /// </summary>
    public static string HoldPath(string name, long place, Chain? origin = null) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"/cluster/holds?name={Uri.EscapeDataString(name)}&place={place}{(origin is null ? "" : $"&origin={origin}")}"
        );

    /// <summary>Trims the log if this node leads, and records what the log keeps.</summary>
    private async Task TrimAsync(bool trims, CancellationToken ct)
    {
        if (trims && Leads)
            await ForgetBackupsAsync(ct).ConfigureAwait(false);
        var holders = FindHolders();
        var bounds = await _log.GetBoundsAsync(ct).ConfigureAwait(false);
        // One time for all, so that no holder is given up without a word.
        var now = _time.GetUtcNow();
        if (trims && Leads)
        {
            ReportGivenUp(holders, now);
            var before = bounds.First;
            bounds = await _trimmer.TrimAsync(bounds, holders, now, ct).ConfigureAwait(false);
            if (bounds.First > before)
                ClusterLog.Trimmed(_logger, Self.Name, bounds.First, bounds.First - before);
        }
        _logUse = LogUse.Of(bounds, holders, _configuration.Log.Trim, now);
    }

    private void ReportGivenUp(IReadOnlyList<LogHolder> holders, DateTimeOffset now)
    {
        var options = OptionsOf(_configuration.Log.Trim);
        foreach (var holder in holders)
        {
            var name = (holder.Kind, holder.Name);
            if (!options.IsGivenUp(holder, now))
                _silent.Remove(name);
            else if (!_silent.Add(name))
                continue;
            else if (holder.Kind == LogHolderKind.Member)
                ClusterLog.HoldGivenUp(_logger, Self.Name, holder.Name, now - holder.Seen, holder.Place);
            else
                ClusterLog.BackupGivenUp(_logger, Self.Name, holder.Name, now - holder.Seen, holder.Place);
        }
    }
}
