using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Pipeline.Database;
using Pipeline.Hosting.Backups;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>
/// Checks that the database accepts writes. A probe write must become durable, the last minute must have no refused
/// write, and the next growth must fit on the disk. Thread-safe. Writes at most every five seconds, so that many health
/// requests do not load the disk.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="time">The clock, which the database uses too.</param>
/// <param name="leastFree">The free bytes of a disk below which there is a warning; 0 for none.</param>
[SuppressMessage("Reliability", "CA1001", Justification = "A semaphore is never disposed: BannedSymbols.txt says why.")]
internal sealed class StorageProbe(DocumentDatabase database, TimeProvider time, long leastFree)
{
    private const string StateKey = "worker/health";
    private static readonly TimeSpan Freshness = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan RefusalMatters = TimeSpan.FromSeconds(60);

    /// <summary>Whether writes are taken here; a follower of a cluster takes none.</summary>
    public Func<bool> TakesWrites { get; init; } = static () => true;

    private readonly SemaphoreSlim _one = new(1);
    private ReadinessCheck? _last;
    private long _lastTime;

    /// <summary>Runs the checks.</summary>
    public async Task<IReadOnlyList<ReadinessCheck>> CheckAsync(CancellationToken cancellationToken)
    {
        var disks = database.Storage.GetDiskSpace();
        var check = TakesWrites()
            ? await CheckWriteAsync(cancellationToken).ConfigureAwait(false)
            : new ReadinessCheck(
                "storage",
                database.Storage.Failure is null,
                database.Storage.Failure?.Message
                    ?? string.Create(CultureInfo.InvariantCulture, $"follows, position {database.LastPosition}")
            );
        if (check.Ok && FindLackOfRoom(disks) is { } lack)
            check = check with { Ok = false, Detail = lack };
        return disks.Count == 0 ? [check] : [check, CheckDisks(disks)];
    }

    // A small write may still succeed while the next larger one is refused.
    private string? FindLackOfRoom(IReadOnlyList<DiskSpace> disks)
    {
        if (disks.FirstOrDefault(d => d.FreeBytes < d.NeededBytes) is { } full)
            return $"the disk of the {full.Part} ({full.Folder}) is full: {BackupText.Size(full.FreeBytes)} free, the {full.Part} next grows by {BackupText.Size(full.NeededBytes)}; free space there";
        return
            database.Storage.GetStatistics().LastRefusal is { } refusal
            && time.GetUtcNow() - refusal.Time is var age
            && age < RefusalMatters
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"a write was refused {age.TotalSeconds:0} s ago: {refusal.Reason}"
            )
            : null;
    }

    private ReadinessCheck CheckDisks(IReadOnlyList<DiskSpace> disks)
    {
        var low = disks.Where(d => d.FreeBytes < leastFree).ToList();
        var words = (low.Count > 0 ? low : disks)
            .Select(d => $"{BackupText.Size(d.FreeBytes)} free for the {d.Part} in {d.Folder}")
            .Distinct();
        return new ReadinessCheck(
            "disk",
            low.Count == 0,
            string.Join("; ", words)
                + (low.Count == 0 ? "" : $", under health.minFreeBytes = {BackupText.Size(leastFree)}")
        )
        {
            IsWarning = true,
        };
    }

    private async Task<ReadinessCheck> CheckWriteAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_last is null || time.GetElapsedTime(_lastTime) > Freshness)
            {
                _last = await WriteAsync(cancellationToken).ConfigureAwait(false);
                _lastTime = time.GetTimestamp();
            }
            return _last;
        }
        finally
        {
            _one.Release();
        }
    }

    /// <inheritdoc/>
    private async Task<ReadinessCheck> WriteAsync(CancellationToken cancellationToken)
    {
        var value = BitConverter.GetBytes(time.GetUtcNow().UtcTicks);
        try
        {
            await database
                .WriteAsync(t => t.SetState(StateKey, value), cancellationToken)
                .WaitAsync(Timeout, time, cancellationToken)
                .ConfigureAwait(false);
            return new ReadinessCheck(
                "storage",
                true,
                string.Create(CultureInfo.InvariantCulture, $"writable, position {database.LastPosition}")
            );
        }
        catch (TimeoutException)
        {
            return new ReadinessCheck(
                "storage",
                false,
                string.Create(CultureInfo.InvariantCulture, $"a write was not durable after {Timeout.TotalSeconds} s")
            );
        }
        catch (Exception e) when (e is StorageException or IOException or ObjectDisposedException)
        {
            return new ReadinessCheck("storage", false, e.Message);
        }
    }
}
