using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Storage;

namespace Pipeline.Backups.Restoring;

/// <summary>
/// Restores backups into a new database. Every chunk, page and transaction is verified on the way. Then the result is
/// opened and compared with the manifest, so a database that appears in the folder is complete. Positions, progress of
/// consumers, identities and everything else are preserved.
/// </summary>
public sealed class BackupRestorer(BackupRepository repository, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Restores into a folder that holds no database.</summary>
    /// <param name="point">The point to restore to.</param>
    /// <param name="target">Path and key of the new database.</param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it; only an unfinished file remains, which the next restore there removes.</param>
    /// <exception cref="BackupException">A backup is missing or damaged.</exception>
    /// <exception cref="StorageException">
    /// The folder contains a database, or a page or transaction is damaged.
    /// </exception>
    public async Task<RestoreReport> RestoreAsync(
        RestorePoint point,
        StorageOptions target,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(target);
        var started = _time.GetTimestamp();
        var place = repository.Destination.Description;
        var damaged = new List<ManifestDamagedException>();
        var all = await repository.ListAsync(damaged.Add, ct).ConfigureAwait(false);
        if (
            point?.Backup is { } wanted
            && damaged.Find(d => d.Name.Contains(wanted, StringComparison.Ordinal)) is { } unreadable
        )
        {
            throw unreadable;
        }

        var plan = RestorePlan.Create(all, point ?? new RestorePoint(), place);
        if (plan.Time is { } time)
            plan = plan with { Through = (await FindLastAsync(plan, time, ct).ConfigureAwait(false)).Transaction };
        var total = plan.Chain.Sum(m => m.ContentBytes);
        var reader = new ChunkReader(repository, 2 * Environment.ProcessorCount + 2);
        BackupPoint reached;
        using (var restore = new StoreRestore(target with { TimeProvider = _time }))
        {
            var full = plan.Chain[0];
            await foreach (
                var (entry, content) in reader
                    .ReadAsync(await ChunkLists.ReadAsync(repository, full.Pages, ct).ConfigureAwait(false), ct)
                    .ConfigureAwait(false)
            )
            {
                restore.AddPart(entry.Number, content);
                progress?.Report(new BackupProgress("restoring pages", reader.Bytes, total, reader.Bytes));
            }
            restore.BeginLog(LogState.Read(full.FromState), isOneSnapshot: full.Log.Count == 0);
            var position = full.To.Position;
            foreach (var backup in plan.Chain)
            {
                position = await ApplyAsync(restore, backup, plan, position, reader, progress, total, ct)
                    .ConfigureAwait(false);
            }

            reached = BackupPoint.Of(restore.State, position);
            restore.Complete();
        }
        var documents = await CheckAsync(plan.Chain[^1], reached, target, ct).ConfigureAwait(false);
        return new RestoreReport(
            [.. plan.Chain.Select(m => m.Id)],
            reached,
            documents,
            reader.Bytes,
            _time.GetElapsedTime(started)
        );
    }

    /// <summary>Finds the point that a restore would reach, without restoring.</summary>
    /// <exception cref="BackupException">No backups lead to the point, or a chunk is damaged.</exception>
    public async Task<BackupPoint> FindAsync(RestorePoint point, CancellationToken ct = default)
    {
        var plan = RestorePlan.Create(
            await repository.ListAsync(static _ => { }, ct).ConfigureAwait(false),
            point,
            repository.Destination.Description
        );
        if (plan is { Position: null, Time: null })
            return plan.Chain[^1].To;
        if (plan.Time is { } time)
            return await FindLastAsync(plan, time, ct).ConfigureAwait(false);
        var reached = plan.Chain[0].To;
        await ReadIncrementsAsync(
                plan,
                state =>
                {
                    if (!plan.Includes(state))
                        return false;
                    reached = BackupPoint.Of(state, state.Mark > 0 ? state.Mark : reached.Position);
                    return true;
                },
                ct
            )
            .ConfigureAwait(false);
        return reached;
    }

    /// <summary>
    /// Finds the last commit up to a time. It reads all: after a period with a wrong clock, later commits can have
    /// earlier times.
    /// </summary>
    private async Task<BackupPoint> FindLastAsync(RestorePlan plan, DateTimeOffset time, CancellationToken ct)
    {
        var found = plan.Chain[0].To;
        var position = found.Position;
        await ReadIncrementsAsync(
                plan,
                state =>
                {
                    if (state.Mark > 0)
                        position = state.Mark;
                    if (state.Ticks <= time.UtcTicks)
                        found = BackupPoint.Of(state, position);
                    return true;
                },
                ct
            )
            .ConfigureAwait(false);
        return found;
    }

    /// <summary>Reads the increments' transactions until the function returns false.</summary>
    private async Task ReadIncrementsAsync(RestorePlan plan, Func<LogState, bool> take, CancellationToken ct)
    {
        var reader = new ChunkReader(repository, Environment.ProcessorCount);
        foreach (var backup in plan.Chain.Skip(1))
        {
            var stream = new LogStreamReader(static (_, _, _) => { });
            await foreach (
                var (_, content) in reader
                    .ReadAsync(await ChunkLists.ReadAsync(repository, backup.Log, ct).ConfigureAwait(false), ct)
                    .ConfigureAwait(false)
            )
            {
                if (!stream.Add(content, take))
                    return;
            }
        }
    }

    /// <summary>Applies a backup's transactions up to the plan's limit; returns the position reached.</summary>
    private async Task<long> ApplyAsync(
        StoreRestore restore,
        BackupManifest backup,
        RestorePlan plan,
        long position,
        ChunkReader reader,
        IProgress<BackupProgress>? progress,
        long total,
        CancellationToken ct
    )
    {
        var within = true;
        if (backup.Log.Count > 0)
        {
            // Until the whole journal is applied, the pages of a full backup come from different times.
            var stream = new LogStreamReader(restore.Apply);
            bool GoOn(LogState state)
            {
                within = backup.Kind == BackupKind.Full || plan.Includes(state);
                if (within && state.Mark > 0 && backup.Kind != BackupKind.Full)
                    position = state.Mark;
                return within;
            }

            await foreach (
                var (_, content) in reader
                    .ReadAsync(await ChunkLists.ReadAsync(repository, backup.Log, ct).ConfigureAwait(false), ct)
                    .ConfigureAwait(false)
            )
            {
                if (!stream.Add(content, GoOn))
                    break;
                progress?.Report(new BackupProgress("applying transactions", reader.Bytes, total, reader.Bytes));
            }
            if (within && !stream.IsAtEnd)
            {
                throw new BackupException(
                    $"{repository.Destination.Description}: the journal of {backup.Id} ends within a transaction. Use an older backup."
                );
            }

            restore.CheckPages();
        }
        if (within && (restore.State.Transaction != backup.To.Transaction || restore.State.Chain != backup.To.Chain))
        {
            throw new BackupException(
                $"{repository.Destination.Description}: {backup.Id} ends with transaction {restore.State.Transaction}, and {backup.To.Transaction} was expected. Use an older backup."
            );
        }

        return position;
    }

    /// <summary>Opens the restored database and compares it with the last manifest.</summary>
    private async Task<long> CheckAsync(
        BackupManifest last,
        BackupPoint reached,
        StorageOptions target,
        CancellationToken ct
    )
    {
        ct.ThrowIfCancellationRequested();
        var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = last.Database,
                Path = target.Path,
                Files = target.Files,
                TimeProvider = _time,
                LoggerFactory = target.LoggerFactory ?? NullLoggerFactory.Instance,
                // A replica writes nothing when it is opened: a restored node of a cluster must not differ from the log.
                Storage = target with
                {
                    IsReplica = true,
                },
                Indexing = new IndexingOptions { Enabled = false },
                TombstonePurgeInterval = Timeout.InfiniteTimeSpan,
            }
        );
        await using var closing = database.ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot("restore");
        var statistics = snapshot.GetStatistics();
        var isWhole = reached.Transaction == last.To.Transaction;
        if (
            snapshot.LastPosition != reached.Position
            || (isWhole && (statistics.Documents != last.DocumentCount || statistics.Tombstones != last.Tombstones))
        )
        {
            throw new BackupException(
                $"{target.Path}: the restored database does not match the manifest of {last.Id}: position {snapshot.LastPosition} of {reached.Position}, {statistics.Documents} documents of {last.DocumentCount}. Do not use it."
            );
        }
        return statistics.Documents;
    }
}
