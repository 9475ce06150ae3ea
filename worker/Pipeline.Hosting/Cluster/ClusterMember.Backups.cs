using System.Collections.Concurrent;
using Pipeline.Backups;
using Pipeline.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>
/// Backups hold the log: records after the last finished run of each backup stay, so that a restored store can
/// continue.
/// </content>
internal sealed partial class ClusterMember : IBackupWatcher
{
    private static readonly TimeSpan NoteTimeout = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The places in the log at which the running backups began. Their states are of that place or a later one.
    /// </summary>
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
            var position = (await _driver.FindCopyPointAsync(late.Token).ConfigureAwait(false)).Position;
            _backingUp[name] = new LogHolder(LogHolderKind.Backup, name, position.Place, _time.GetUtcNow());
            await BackupPosition.KeepAsync(_database.Storage, position, late.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when ((e is CopyRefusedException or StorageException or OperationCanceledException)
                && !ct.IsCancellationRequested
            )
        {
            // The backup is made anyway, but a store restored from it cannot continue from the log.
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
            // The previous run still holds the log.
            ClusterLog.BackupHoldsNothing(_logger, Self.Name, name, e.Message);
        }
        finally
        {
            _backingUp.TryRemove(name, out _);
        }
    }

    /// <summary>
    /// The holders of the log: nodes that have reported, and finished and running backups if the configuration lets
    /// them hold it.
    /// </summary>
    private List<LogHolder> FindHolders()
    {
        var holders = _trimmer.List();
        return OptionsOf(_configuration.Log.Trim).HasNoBackups
            ? [.. holders.Where(h => h.Kind == LogHolderKind.Member)]
            : [.. holders, .. _backingUp.Values.Select(b => b with { Name = b.Name + " (running)" })];
    }

    /// <summary>Removes the holds of backups that the configuration no longer has.</summary>
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
