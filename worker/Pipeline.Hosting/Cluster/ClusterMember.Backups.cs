using System.Collections.Concurrent;
using Pipeline.Backups;
using Pipeline.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>
/// Backups hold the log: what came after the last finished run of each stays, so that a restored store can go on.
/// </content>
internal sealed partial class ClusterMember : IBackupWatcher
{
    private static readonly TimeSpan NoteTimeout = TimeSpan.FromSeconds(30);

    /// <summary>Where the backups that run now begin. Their states are of then or later.</summary>
    private readonly ConcurrentDictionary<string, LogHolder> _backingUp = new(StringComparer.Ordinal);

    /// <summary>The names of the backups that the configuration has now.</summary>
    public Func<IEnumerable<string>> BackupNames { get; set; } = static () => [];

    /// <summary>How a finished backup holds the log.</summary>
    public LogHolder FindHold(string backup) =>
        _trimmer.List().First(h => h.Kind == LogHolderKind.Backup && h.Name == backup);

    /// <inheritdoc/>
    public async Task BeginAsync(string name, CancellationToken ct)
    {
        _backingUp.TryRemove(name, out _);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(NoteTimeout);
        try
        {
            var position = (await _driver.FindHereAsync(late.Token).ConfigureAwait(false)).Position;
            _backingUp[name] = new LogHolder(LogHolderKind.Backup, name, position.Place, _time.GetUtcNow());
            await BackupPosition.KeepAsync(_database.Storage, position, late.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when ((e is CopyRefusedException or StorageException or OperationCanceledException)
                && !ct.IsCancellationRequested
            )
        {
            // It is a backup all the same; only the log does not continue it.
            _backingUp.TryRemove(name, out _);
            ClusterLog.BackupHoldsNothing(_logger, Self.Name, name, e.Message);
        }
    }

    /// <inheritdoc/>
    public async Task EndAsync(string name, bool isWhole)
    {
        if (!_backingUp.TryGetValue(name, out var begun))
            return;
        try
        {
            if (!isWhole)
                return;
            using var late = new CancellationTokenSource(NoteTimeout, _time);
            await _trimmer.ReportAsync(LogHolderKind.Backup, name, begun.Place, late.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is StorageException or OperationCanceledException)
        {
            // The one before still holds the log.
            ClusterLog.BackupHoldsNothing(_logger, Self.Name, name, e.Message);
        }
        finally
        {
            _backingUp.TryRemove(name, out _);
        }
    }

    /// <summary>
    /// Who holds the log: nodes that have said so, and finished and running backups where the configuration lets them.
    /// </summary>
    private List<LogHolder> FindHolders()
    {
        var holders = _trimmer.List();
        return OptionsOf(_configuration.Log.Trim).HasNoBackups
            ? [.. holders.Where(h => h.Kind == LogHolderKind.Member)]
            : [.. holders, .. _backingUp.Values.Select(b => b with { Name = b.Name + " (running)" })];
    }

    /// <summary>Forgets backups that the configuration no longer has.</summary>
    private async Task ForgetBackupsAsync(CancellationToken ct)
    {
        var names = BackupNames().ToHashSet(StringComparer.Ordinal);
        foreach (var holder in _trimmer.List())
        {
            if (holder.Kind == LogHolderKind.Backup && !names.Contains(holder.Name))
                await _trimmer.RemoveAsync(LogHolderKind.Backup, holder.Name, ct).ConfigureAwait(false);
        }
    }
}
