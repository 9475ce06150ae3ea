using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Backups.Manifests;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// Makes backups of one database according to one definition, while writers continue. A backup exists at a destination
/// once its manifest does, which is written last. Chunks sent before a crash are found there and not sent again. Runs
/// of one runner wait for each other. Thread-safe.
/// </summary>
public sealed partial class BackupRunner : IAsyncDisposable
{
    /// <summary>
    /// How long chunks that no backup needs are kept: a later run may use the chunks of an interrupted backup.
    /// </summary>
    internal static readonly TimeSpan Grace = TimeSpan.FromHours(24);

    /// <summary>The prefix of the names of all holds of backups.</summary>
    internal const string HoldPrefix = "backup/";

    private readonly DocumentDatabase _database;
    private readonly BackupRunnerOptions _options;
    private readonly ILogger _logger;
    private readonly SemaphoreSlim _turn = new(1);
    private bool _disposed;

    /// <summary>Creates a runner.</summary>
    public BackupRunner(BackupDefinition definition, DocumentDatabase database, BackupRunnerOptions? options = null)
    {
        (Definition, _database, _options) = (definition, database, options ?? new BackupRunnerOptions());
        _logger = _options.Loggers.CreateLogger("Pipeline.Backups");
    }

    /// <summary>The definition.</summary>
    public BackupDefinition Definition { get; }

    /// <summary>Opens the repositories of all destinations; one that cannot be opened returns its error.</summary>
    public async Task<IReadOnlyList<(string Destination, BackupRepository? Repository, Exception? Error)>> OpenAsync(
        bool create,
        CancellationToken ct
    ) => await RepositoryAccess.OpenAsync(Definition, _options, create, ct).ConfigureAwait(false);

    /// <summary>Makes a backup at every destination.</summary>
    /// <param name="kind">
    /// The kind. An incremental backup becomes a full one if there is no backup to continue. Null chooses incremental
    /// if possible.
    /// </param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it; the chunks already sent stay for the next run.</param>
    /// <exception cref="OperationCanceledException">The run was cancelled.</exception>
    public Task<BackupReport> RunAsync(
        BackupKind? kind = null,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    ) => RunAsync(kind, null, progress, ct);

    /// <summary>As the other overload, for a scheduled run of a cluster.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="run">
    /// Names the scheduled run. A destination at which it has made a backup already gets none; null for a run on request.
    /// </param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it.</param>
    internal async Task<BackupReport> RunAsync(
        BackupKind? kind,
        string? run,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    )
    {
        await _turn.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            var started = _options.Time.GetTimestamp();
            var reports = new List<DestinationReport>();
            var opened = await OpenAsync(create: true, ct).ConfigureAwait(false);
            try
            {
                var targets = new List<BackupTarget>();
                foreach (var (destination, repository, error) in opened)
                {
                    if (repository is null)
                    {
                        reports.Add(new DestinationReport(destination, null, error));
                    }
                    else
                    {
                        await AddTargetAsync(targets, reports, repository, kind ?? BackupKind.Incremental, run, ct)
                            .ConfigureAwait(false);
                    }
                }
                if (targets.Where(t => t.Parent is null).ToList() is { Count: > 0 } full)
                    reports.AddRange(await RunAsync(full, null, run, progress, ct).ConfigureAwait(false));
                foreach (var group in targets.Where(t => t.Parent is not null).GroupBy(t => BaseOf(t.Parent!)))
                    reports.AddRange(await RunAsync([.. group], group.Key, run, progress, ct).ConfigureAwait(false));
                foreach (var failed in reports.Where(r => r.Error is not null))
                    BackupLog.Failed(_logger, Definition.Name, failed.Destination, failed.Error!);
                for (var i = 0; i < reports.Count && !Definition.Retention.KeepsAll; i++)
                {
                    if (
                        reports[i].Error is null
                        && opened.First(o => o.Destination == reports[i].Destination).Repository is { } repository
                    )
                    {
                        reports[i] = reports[i] with
                        {
                            Removed = await RemoveOldAsync(repository, ct).ConfigureAwait(false),
                        };
                    }
                }

                return new BackupReport(Definition.Name, _options.Time.GetElapsedTime(started), reports);
            }
            finally
            {
                foreach (var (_, repository, _) in opened)
                {
                    if (repository is not null)
                        await repository.DisposeAsync().ConfigureAwait(false);
                }
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Waits for the current run; later ones are refused.</summary>
    public async ValueTask DisposeAsync()
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        _disposed = true;
        _turn.Release();
    }

    private async Task<IReadOnlyList<string>> RemoveOldAsync(BackupRepository repository, CancellationToken ct)
    {
        try
        {
            var sweep = await RetentionSweep
                .RunAsync(
                    repository,
                    Definition.Retention,
                    _options.Time.GetUtcNow(),
                    Grace,
                    Definition.Schedule?.TimeZone ?? TimeZoneInfo.Utc,
                    ct
                )
                .ConfigureAwait(false);
            if (sweep.Removed.Count + sweep.Chunks > 0)
            {
                BackupLog.Removed(
                    _logger,
                    Definition.Name,
                    sweep.Removed.Count,
                    sweep.Chunks,
                    repository.Destination.Description
                );
            }

            return sweep.Removed;
        }
        catch (BackupException e)
        {
            BackupLog.RetentionFailed(_logger, Definition.Name, repository.Destination.Description, e);
            return [];
        }
    }

    private async Task<IReadOnlyList<DestinationReport>> RunAsync(
        List<BackupTarget> targets,
        BackupBase? parent,
        string? run,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    )
    {
        var storage = _database.Storage;
        var began = _options.Time.GetUtcNow();
        var temporary = HoldName(Definition.Name, "running");
        var remote = Definition.Destinations.Any(d => d.IsRemote);
        var parallel = Definition.Parallel ?? Math.Max(remote ? 8 : 4, 2 * Environment.ProcessorCount);
        var sender = new ChunkSender(targets, parallel, began - (Grace / 2), ct);
        await using var closing = sender.ConfigureAwait(false);
        try
        {
            var content = parent is null
                ? await FullContent
                    .ReadAsync(_database, temporary, sender, targets, Throttle(), progress, _options.IsShared, ct)
                    .ConfigureAwait(false)
                : await LogContent
                    .ReadAsync(_database, Hold(targets[0]), parent, sender, progress, ct)
                    .ConfigureAwait(false);
            await SendStagedAsync(targets, parallel, progress, ct).ConfigureAwait(false);
            var reports = new List<DestinationReport>();
            foreach (var target in targets)
                reports.Add(await FinishAsync(target, content, run, began, ct).ConfigureAwait(false));
            return reports;
        }
        catch (OperationCanceledException e) when (!ct.IsCancellationRequested)
        {
            await sender.ThrowFaultAsync().ConfigureAwait(false);
            // No destination remained.
            return
            [
                .. targets.Select(t => new DestinationReport(t.Repository.Destination.Description, null, t.Error ?? e)),
            ];
        }
        catch (Exception e) when (e is StorageException or BackupException or DatabaseCorruptException)
        {
            return
            [
                .. targets.Select(t => new DestinationReport(t.Repository.Destination.Description, null, t.Error ?? e)),
            ];
        }
        finally
        {
            storage.ReleaseLog(temporary);
            foreach (var target in targets)
                target.Staging?.Discard();
        }
    }

    /// <summary>Sends the chunks in the staging folders; a failing destination does not stop the others.</summary>
    private static Task SendStagedAsync(
        List<BackupTarget> targets,
        int parallel,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    ) =>
        Task.WhenAll(
            targets
                .Where(t => t.Staging is not null && t.Error is null)
                .Select(async target =>
                {
                    var total = target.StagedBytes;
                    try
                    {
                        await target
                            .SendStagedAsync(
                                parallel,
                                () =>
                                    progress?.Report(
                                        new BackupProgress(
                                            $"sending to {target.Repository.Destination.Description}",
                                            target.SentBytes,
                                            total,
                                            target.SentBytes
                                        )
                                    ),
                                ct
                            )
                            .ConfigureAwait(false);
                    }
                    catch (BackupException e)
                    {
                        target.Fail(e);
                    }
                })
        );

    private ReadThrottle Throttle() =>
        new(Definition.MaxBytesPerSecond, Definition.MaxWriteLatency, _database.Storage, _options.Time);

    /// <summary>
    /// Writes the manifest, then moves the hold: the journal after the backup is kept, and the journal before it is
    /// released. In a cluster the service moves the holds of all nodes.
    /// </summary>
    private async Task<DestinationReport> FinishAsync(
        BackupTarget target,
        BackupContent content,
        string? run,
        DateTimeOffset began,
        CancellationToken ct
    )
    {
        var description = target.Repository.Destination.Description;
        if (target.Error is { } error)
            return new DestinationReport(description, null, error);
        try
        {
            var (pages, log) = (target.Entries(ChunkStream.Pages), target.Entries(ChunkStream.Log));
            var pageLists = await ChunkLists.WriteAsync(target, pages, ct).ConfigureAwait(false);
            var logLists = await ChunkLists.WriteAsync(target, log, ct).ConfigureAwait(false);
            var now = _options.Time.GetUtcNow();
            var (store, to, entry) = EndOf(target, content, ct);
            var manifest = new BackupManifest
            {
                Format =
                    target.Parent is { } continued && continued.Store != store
                        ? BackupManifest.CurrentFormat
                        : BackupManifest.FormatOfOneStore,
                Id = target.NewId(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{began.UtcDateTime:yyyyMMdd-HHmmss}-{(target.Parent is null ? "full" : "incremental")}-{content.To.Transaction}"
                    )
                ),
                Kind = target.Parent is null ? BackupKind.Full : BackupKind.Incremental,
                Database = _database.Name,
                DatabaseId = content.Snapshot.DatabaseId,
                Store = store,
                Parent = target.Parent?.Id,
                From = BackupPoint.Of(content.From, target.Parent?.To.Position ?? -1),
                To = BackupPoint.Of(to, content.Snapshot.Position),
                FromState = Bytes(content.From),
                ToState = Bytes(to),
                FromEntry = _options.IsShared ? target.Parent?.ToEntry : null,
                ToEntry = entry,
                Run = run,
                Pages = pageLists,
                Log = logLists,
                Transactions = content.Transactions,
                ContentBytes = pages.Sum(e => (long)e.Length) + log.Sum(e => (long)e.Length),
                StoredBytes = pages.Sum(e => (long)e.Stored) + log.Sum(e => (long)e.Stored),
                SentBytes = target.SentBytes,
                Documents = content.Snapshot.Collections,
                Tombstones = content.Snapshot.Tombstones,
                Started = began,
                Ended = now,
                Reason = target.Reason,
                Program = "pipeline " + (typeof(BackupRunner).Assembly.GetName().Version?.ToString(3) ?? "0"),
            };
            // The manifest must not outlive a chunk that it names, and the journal's hold must not move before the
            // manifest is durable.
            await target.Repository.Destination.SettleAsync(ct).ConfigureAwait(false);
            if (run is not null && await FindMadeAsync(target, run, ct).ConfigureAwait(false) is { } made)
                return Repeated(description, run, made);
            await target.Repository.PutAsync(manifest, ct).ConfigureAwait(false);
            await target.Repository.Destination.SettleAsync(ct).ConfigureAwait(false);
            if (!_options.IsShared)
                _database.Storage.HoldLog(HoldName(target.Repository.Destination), content.End);
            BackupLog.Done(
                _logger,
                Definition.Name,
                manifest.Id,
                description,
                manifest.To.Position,
                manifest.ContentBytes,
                manifest.StoredBytes,
                manifest.SentBytes,
                (long)(now - began).TotalMilliseconds
            );
            return new DestinationReport(description, manifest, null);
        }
        catch (Exception e) when (e is BackupException or StorageException)
        {
            return new DestinationReport(description, null, e);
        }
    }

    private static byte[] Bytes(LogState state)
    {
        var bytes = new byte[LogState.Bytes];
        state.Write(bytes);
        return bytes;
    }
}
