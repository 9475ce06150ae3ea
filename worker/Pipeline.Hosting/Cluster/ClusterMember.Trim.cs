using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>
/// Trims the log: every node reports the place up to which its disk has it, and the leader trims what all have.
/// </content>
internal sealed partial class ClusterMember
{
    private static readonly TimeSpan TrimTimeout = TimeSpan.FromSeconds(30);
    private readonly HashSet<string> _silent = new(StringComparer.Ordinal);
    private volatile LogUse? _logUse;

    /// <summary>What the log keeps and who holds it, as of the last look; null before the first.</summary>
    public LogUse? LogUse => _logUse;

    /// <summary>What comes before this place of the log this node never reads again.</summary>
    public long KeptPlace => _driver.KeptPlace;

    /// <summary>Notes from where a node needs the log. Only the leader can.</summary>
    /// <exception cref="ClusterException">The report is none.</exception>
    public async Task<bool> HoldAsync(string name, long place, CancellationToken ct)
    {
        if (name.Length is 0 or > 64 || place < 0)
            throw new ClusterException($"'{name}' at place {place} is no report of a node", isUsage: true);
        return await _trimmer.ReportAsync(LogHolderKind.Member, name, place, ct).ConfigureAwait(false);
    }

    private static TrimOptions OptionsOf(LogTrimConfiguration trim) =>
        new()
        {
            KeepRecords = trim.KeepRecords,
            Step = Math.Max(1, trim.KeepRecords / 10),
            GiveUpAfter = trim.SilentAfter,
            MinCopies = trim.Copies,
        };

    private async Task KeepTrimmedAsync(CancellationToken ct)
    {
        var every = _configuration.Log.Trim.Every;
        var trims = every > TimeSpan.Zero;
        string? told = null;
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
                    if (trims && Leads)
                        await TrimAsync(late.Token).ConfigureAwait(false);
                    await LookAtLogAsync(late.Token).ConfigureAwait(false);
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
                    // The log may be away for long; one line is enough.
                    ClusterLog.NotTrimmed(
                        _logger,
                        problem == told ? LogLevel.Debug : LogLevel.Warning,
                        Self.Name,
                        problem
                    );
                }
                told = problem;
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
        // A node that has stopped is filled or repaired first; its last report still holds.
        if (status.Stop != NodeStop.None || status.Failure is not null)
            return;
        var place = KeptPlace;
        if (Leads)
        {
            await HoldAsync(Self.Name, place, ct).ConfigureAwait(false);
        }
        else if (Leader is { } leader && leader.Name != Self.Name)
        {
            await _client.PostAsync(leader, HoldPath(Self.Name, place), ct).ConfigureAwait(false);
        }
    }

    /// <summary>The request that reports from where a node needs the log.</summary>
    public static string HoldPath(string name, long place) =>
        string.Create(CultureInfo.InvariantCulture, $"/cluster/holds?name={Uri.EscapeDataString(name)}&place={place}");

    private async Task TrimAsync(CancellationToken ct)
    {
        var limit = _configuration.Log.Trim.SilentAfter;
        foreach (var holder in _trimmer.List())
        {
            var silence = _time.GetUtcNow() - holder.Seen;
            if (silence <= limit)
                _silent.Remove(holder.Name);
            else if (_silent.Add(holder.Name))
                ClusterLog.HoldGivenUp(_logger, Self.Name, holder.Name, silence, holder.Place);
        }
        var before = await _log.GetBoundsAsync(ct).ConfigureAwait(false);
        var first = await _trimmer.TrimAsync(ct).ConfigureAwait(false);
        if (first > before.First)
            ClusterLog.Trimmed(_logger, Self.Name, first, first - before.First);
    }

    private async Task LookAtLogAsync(CancellationToken ct)
    {
        var bounds = await _log.GetBoundsAsync(ct).ConfigureAwait(false);
        _logUse = LogUse.Of(bounds, _trimmer.List(), _configuration.Log.Trim, _time.GetUtcNow());
    }
}
