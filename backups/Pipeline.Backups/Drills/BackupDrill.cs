using System.Buffers;
using System.Globalization;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;

namespace Pipeline.Backups.Drills;

/// <summary>
/// Restores the newest backup of each destination into a scratch folder and checks it: every page and key, ids and
/// collections, counts and position. It also compares a sample of documents with the live database's, except those that
/// changed since. Records the result together with the backup.
/// </summary>
public static class BackupDrill
{
    private const int SampleSize = 200;

    /// <summary>Runs the drill.</summary>
    /// <param name="definition">The backup.</param>
    /// <param name="live">The database to compare with; null for none.</param>
    /// <param name="options">Clock and retries.</param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it.</param>
    public static async Task<IReadOnlyList<DrillReport>> RunAsync(
        BackupDefinition definition,
        DocumentDatabase? live,
        BackupRunnerOptions? options = null,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        options ??= new BackupRunnerOptions();
        var reports = new List<DrillReport>();
        foreach (
            var (destination, repository, error) in await RepositoryAccess
                .OpenAsync(definition, options, create: false, ct)
                .ConfigureAwait(false)
        )
        {
            if (repository is null)
            {
                reports.Add(
                    new DrillReport(
                        destination,
                        null,
                        0,
                        0,
                        0,
                        0,
                        TimeSpan.Zero,
                        error?.Message ?? "there are no backups"
                    )
                );
                continue;
            }
            await using var closing = repository.ConfigureAwait(false);
            reports.Add(await RunAsync(repository, live, options, progress, ct).ConfigureAwait(false));
        }
        return reports;
    }

    private static async Task<DrillReport> RunAsync(
        BackupRepository repository,
        DocumentDatabase? live,
        BackupRunnerOptions options,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    )
    {
        var place = repository.Destination.Description;
        var started = options.Time.GetTimestamp();
        string? backup = null;
        RestoreReport? restored = null;
        var compared = 0;
        string? problem = null;
        using var scratch = new ScratchStore("drill", parent: options.ScratchFolder);
        try
        {
            backup = await repository.ListAsync(static _ => { }, ct).ConfigureAwait(false) is [.., var newest]
                ? newest.Id
                : null;
            if (backup is null)
            {
                return new DrillReport(
                    place,
                    null,
                    0,
                    0,
                    0,
                    0,
                    options.Time.GetElapsedTime(started),
                    "there are no backups"
                );
            }

            restored = await new BackupRestorer(repository, options.Time)
                .RestoreAsync(new RestorePoint { Backup = backup }, scratch.Options, progress, ct)
                .ConfigureAwait(false);
            var check = await Task.Run(
                    () =>
                        DatabaseCheck.Run(
                            new DatabaseOptions
                            {
                                Name = "drill",
                                Path = scratch.Folder,
                                Storage = scratch.Options,
                            },
                            null,
                            ct
                        ),
                    ct
                )
                .ConfigureAwait(false);
            if (!check.IsSound || check.Documents != restored.Documents)
            {
                problem = string.Create(
                    CultureInfo.InvariantCulture,
                    $"the restored database has {check.ProblemCount + check.Storage.Problems.Count} problems and {check.Documents} of {restored.Documents} documents: {(check.Problems is [var first, ..] ? first.ToString() : check.Storage.Problems is [var page, ..] ? page.ToString() : "")}"
                );
            }
            else if (live is not null)
            {
                (compared, problem) = await CompareAsync(scratch, live, options, ct).ConfigureAwait(false);
            }
        }
        catch (Exception e)
            when (e
                    is BackupException
                        or StorageException
                        or DatabaseCorruptException
                        or IOException
                        or UnauthorizedAccessException
            )
        {
            problem = e.Message;
        }
        var report = new DrillReport(
            place,
            backup,
            restored?.Documents ?? 0,
            restored?.Reached.Position ?? 0,
            compared,
            restored?.Bytes ?? 0,
            options.Time.GetElapsedTime(started),
            problem
        );
        if (backup is not null)
        {
            var detail =
                problem
                ?? string.Create(
                    CultureInfo.InvariantCulture,
                    $"position {report.Position}, {report.Documents} documents, {compared} compared"
                );
            await repository
                .PutAsync(new Verification(backup, options.Time.GetUtcNow(), "restore", problem is null, detail), ct)
                .ConfigureAwait(false);
        }
        return report;
    }

    /// <summary>
    /// Compares documents at even distances: a position must lead to the same id and the same text in both.
    /// </summary>
    private static async Task<(int Compared, string? Problem)> CompareAsync(
        ScratchStore scratch,
        DocumentDatabase live,
        BackupRunnerOptions options,
        CancellationToken ct
    )
    {
        var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = live.Name,
                Path = scratch.Folder,
                Storage = scratch.Options,
                TimeProvider = options.Time,
                Indexing = new IndexingOptions { Enabled = false },
                TombstonePurgeInterval = Timeout.InfiniteTimeSpan,
            }
        );
        await using var closing = database.ConfigureAwait(false);
        using var theirs = database.OpenSnapshot("drill");
        using var ours = live.OpenSnapshot("drill");
        var compared = 0;
        var (left, right) = (new ArrayBufferWriter<byte>(), new ArrayBufferWriter<byte>());
        for (
            var (position, step) = (theirs.LastPosition, Math.Max(1, theirs.LastPosition / SampleSize));
            position > 0;
            position -= step
        )
        {
            ct.ThrowIfCancellationRequested();
            if (!ours.TryGetByPosition(position, out var live_) || live_.IsDeleted)
                continue; // It changed or was deleted since.
            if (!theirs.TryGetByPosition(position, out var restored))
            {
                return (
                    compared,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"position {position} leads to '{live_.Id}' in the live database, and to nothing in the restored one"
                    )
                );
            }

            left.ResetWrittenCount();
            right.ResetWrittenCount();
            live_.WriteJson(left);
            restored.WriteJson(right);
            if (
                restored.Id != live_.Id
                || !left.WrittenSpan.SequenceEqual(right.WrittenSpan)
                || !theirs.TryGet(live_.Id, out var byId)
                || byId.Position != position
            )
            {
                return (
                    compared,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"the document '{live_.Id}' at position {position} is another one in the restored database"
                    )
                );
            }

            compared++;
        }
        return (compared, null);
    }
}
