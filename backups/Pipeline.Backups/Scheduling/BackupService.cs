using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Pipeline.Backups.Drills;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.Database;

namespace Pipeline.Backups;

/// <summary>
/// Runs the backups and drills of a database, on schedule after <see cref="Start"/> and on request. Only one runs at a
/// time; jobs that become due during a run follow. The database stores a record of each run. Thread-safe.
/// </summary>
public sealed partial class BackupService : IAsyncDisposable
{
    private readonly DocumentDatabase _database;
    private readonly BackupRunnerOptions _options;
    private readonly ILogger _logger;
    private readonly BackupHistory _history;
    private readonly Lock _gate = new();
    private readonly List<ScheduledBackup> _retired = [];
    private volatile IReadOnlyList<ScheduledBackup> _backups;
    private bool _started;
    private readonly SemaphoreSlim _turn = new(1);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<string, RunningJob> _running = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(string Name, BackupJob Job), DateTimeOffset> _next = new();
    private readonly ConcurrentDictionary<
        (string Name, Destinations.DestinationDefinition Place),
        string
    > _descriptions = new();
    private readonly int _seed;

    /// <summary>Creates the service; nothing runs yet.</summary>
    /// <param name="database">The database to back up.</param>
    /// <param name="definitions">The backups.</param>
    /// <param name="options">Clock, logs, retries.</param>
    /// <param name="seed">The seed of the random jitter.</param>
    public BackupService(
        DocumentDatabase database,
        IReadOnlyList<BackupDefinition> definitions,
        BackupRunnerOptions? options = null,
        int seed = 0
    )
    {
        ArgumentNullException.ThrowIfNull(definitions);
        (_database, _options, _seed) = (database, options ?? new BackupRunnerOptions(), seed);
        _logger = _options.Loggers.CreateLogger("Pipeline.Backups");
        _history = new BackupHistory(database);
        _keeper = _options.IsShared ? new JournalKeeper(database.Storage, _options.Time) : null;
        _acts = !_options.IsShared;
        _backups = [.. definitions.Select(d => new ScheduledBackup(new BackupRunner(d, database, _options)))];
        BackupMetrics.Register(this);
    }

    /// <summary>The database's name.</summary>
    public string Database => _database.Name;

    /// <summary>The clock.</summary>
    public TimeProvider Time => _options.Time;

    /// <summary>The definitions.</summary>
    public IEnumerable<BackupDefinition> Definitions => _backups.Select(b => b.Definition);

    /// <summary>The history of runs, oldest first.</summary>
    public IReadOnlyList<BackupRun> GetHistory() => _history.Read();

    /// <summary>Starts running due jobs. Releases the journal held for backups that are no longer defined.</summary>
    public void Start()
    {
        var defined = Definitions.SelectMany(HoldNames).ToHashSet(StringComparer.Ordinal);
        foreach (
            var hold in _database.Storage.LogHolds.Where(h =>
                h.Name.StartsWith(BackupRunner.HoldPrefix, StringComparison.Ordinal) && !defined.Contains(h.Name)
            )
        )
        {
            _database.Storage.ReleaseLog(hold.Name);
        }

        lock (_gate)
        {
            _started = true;
            foreach (var backup in _backups.Where(_ => _acts))
                Begin(backup, makesUp: true);
        }
        BeginKeeping();
    }

    /// <summary>
    /// Replaces the definitions. A run in progress continues unchanged; new or changed definitions follow their own
    /// schedule from now on.
    /// </summary>
    /// <param name="definitions">All definitions.</param>
    /// <param name="unchanged">The names of unchanged definitions, which continue undisturbed.</param>
    public void Apply(IReadOnlyList<BackupDefinition> definitions, IReadOnlySet<string> unchanged)
    {
        ArgumentNullException.ThrowIfNull(definitions);
        lock (_gate)
        {
            var old = _backups;
            var kept = old.Where(b => unchanged.Contains(b.Definition.Name))
                .ToDictionary(b => b.Definition.Name, StringComparer.Ordinal);
            _backups =
            [
                .. definitions.Select(d =>
                    kept.GetValueOrDefault(d.Name) ?? new ScheduledBackup(new BackupRunner(d, _database, _options))
                ),
            ];
            foreach (var gone in old.Except(_backups))
            {
                gone.Stop.Cancel();
                _retired.Add(gone);
                foreach (var next in _next.Keys.Where(n => n.Name == gone.Definition.Name))
                    _next.TryRemove(next, out _);
                if (
                    !_running.ContainsKey(gone.Definition.Name)
                    && !_backups.Any(b => b.Definition.Name == gone.Definition.Name)
                )
                {
                    foreach (var hold in HoldNames(gone.Definition))
                        _database.Storage.ReleaseLog(hold);
                }
            }
            foreach (var made in _backups.Except(old).Where(_ => _started && _acts))
                Begin(made, makesUp: false);
        }
    }

    /// <summary>Runs a backup now, regardless of the schedule.</summary>
    /// <exception cref="BackupException">No backup has the name.</exception>
    /// <exception cref="OperationCanceledException">The run was cancelled.</exception>
    public async Task<BackupReport> RunAsync(
        string name,
        BackupKind? kind = null,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        var runner = Find(name);
        BackupReport? report = null;
        await DoAsync(
                runner.Definition,
                kind == BackupKind.Full ? BackupJob.Full : BackupJob.Incremental,
                null,
                async (job, stop) =>
                    Results(
                        report = await MakeAsync(runner, kind, null, job.Also(progress), stop).ConfigureAwait(false)
                    ),
                ct
            )
            .ConfigureAwait(false);
        return report!;
    }

    /// <summary>
    /// Restores the newest backup of each destination into a scratch folder, checks it and deletes the copy.
    /// </summary>
    /// <exception cref="BackupException">No backup has the name.</exception>
    public async Task<IReadOnlyList<DrillReport>> DrillAsync(
        string name,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        var runner = Find(name);
        IReadOnlyList<DrillReport> reports = [];
        await DoAsync(
                runner.Definition,
                BackupJob.Drill,
                null,
                async (job, stop) =>
                    Results(
                        reports = await BackupDrill
                            .RunAsync(runner.Definition, _database, _options, job.Also(progress), stop)
                            .ConfigureAwait(false)
                    ),
                ct
            )
            .ConfigureAwait(false);
        return reports;
    }

    /// <summary>Cancels the current run of a backup; false if nothing runs.</summary>
    public bool Cancel(string name)
    {
        if (!_running.TryGetValue(name, out var running))
            return false;
        try
        {
            running.Stop.Cancel();
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false; // It has just ended.
        }
    }

    /// <summary>The status of each backup at each destination.</summary>
    public IReadOnlyList<BackupStatus> GetStatus()
    {
        var history = _history.Read();
        var all = new List<BackupStatus>();
        foreach (var definition in Definitions)
        {
            var running = _running.GetValueOrDefault(definition.Name);
            var next = _next
                .Where(n => n.Key.Name == definition.Name)
                .ToDictionary(n => Text(n.Key.Job), n => n.Value, StringComparer.Ordinal);
            foreach (var place in definition.Destinations)
            {
                var description = Description(definition, place);
                var mine = history
                    .Where(r => r.Name == definition.Name)
                    .SelectMany(r =>
                        r.Destinations.Where(d => d.Destination == description).Select(d => (Run: r, Result: d))
                    )
                    .ToList();
                var backup = mine.LastOrDefault(m => m.Run.Job != BackupJob.Drill && m.Result.Error is null);
                var verified = mine.LastOrDefault(m => m.Run.Job == BackupJob.Drill && m.Result.Error is null);
                all.Add(
                    new BackupStatus(
                        definition.Name,
                        description,
                        backup.Run?.Ended,
                        verified.Run?.Ended,
                        backup.Result?.Backup,
                        backup.Result?.ContentBytes ?? 0,
                        backup.Result?.StoredBytes ?? 0,
                        backup.Run is null ? TimeSpan.Zero : backup.Run.Ended - backup.Run.Started,
                        mine.LastOrDefault().Result?.Error
                    )
                    {
                        Running = running is null ? null : Text(running.Job),
                        RunningSince = running?.Started,
                        Progress = running?.Progress,
                        Next = next,
                    }
                );
            }
        }
        return all;
    }

    /// <summary>Cancels all runs; the chunks already sent stay for the next run.</summary>
    public async ValueTask DisposeAsync()
    {
        BackupMetrics.Unregister(this);
        await _stop.CancelAsync().ConfigureAwait(false);
        ScheduledBackup[] all;
        lock (_gate)
        {
            _started = false;
            all = [.. _backups, .. _retired];
        }
        await Task.WhenAll(all.SelectMany(b => b.Loops)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _keeping.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _turn.WaitAsync().ConfigureAwait(false);
        foreach (var backup in all)
            await backup.DisposeAsync().ConfigureAwait(false);
        _turn.Release();
        _stop.Dispose();
        _term.Dispose();
    }

    private static string Text(BackupJob job) =>
        System.Text.Json.JsonNamingPolicy.CamelCase.ConvertName(job.ToString());

    private string Description(BackupDefinition definition, Destinations.DestinationDefinition place) =>
        _descriptions.GetOrAdd((definition.Name, place), Describe);

    private string Describe((string Name, Destinations.DestinationDefinition Place) key)
    {
        var destination = key.Place.Create(key.Name, _options.Time);
        var description = destination.Description;
        destination.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return description;
    }

    /// <summary>Runs a job when its turn comes, and records it.</summary>
    private async Task DoAsync(
        BackupDefinition definition,
        BackupJob job,
        DateTimeOffset? due,
        Func<RunningJob, CancellationToken, Task<IReadOnlyList<BackupRunResult>>> work,
        CancellationToken ct
    )
    {
        var name = definition.Name;
        var term = TermToken;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct, _stop.Token, term);
        await _turn.WaitAsync(stop.Token).ConfigureAwait(false);
        try
        {
            var started = _options.Time.GetUtcNow();
            var running = _running[name] = new RunningJob(job, stop, started);
            IReadOnlyList<BackupRunResult> results = [];
            var watcher = job == BackupJob.Drill ? null : _options.Watcher;
            try
            {
                if (job != BackupJob.Drill)
                    await PrepareAsync(name, started, stop.Token).ConfigureAwait(false);
                if (watcher is not null)
                    await watcher.BeginAsync(name, stop.Token).ConfigureAwait(false);
                results = await work(running, stop.Token).ConfigureAwait(false);
            }
            catch (Exception e)
                when (e is OperationCanceledException or BackupException or Storage.StorageException or IOException)
            {
                var reason = e is OperationCanceledException ? "it was stopped" : e.Message;
                results =
                [
                    .. definition.Destinations.Select(d => new BackupRunResult(
                        Description(definition, d),
                        null,
                        reason,
                        0,
                        0,
                        0
                    )),
                ];
                throw;
            }
            finally
            {
                _running.TryRemove(name, out _);
                var run = new BackupRun(name, job, due, started, _options.Time.GetUtcNow(), results);
                BackupMetrics.Done(run, _database.Name);
                if (watcher is not null)
                {
                    await watcher
                        .EndAsync(name, results.Count > 0 && results.All(r => r.Error is null))
                        .ConfigureAwait(false);
                }
                await RecordAsync(run, term).ConfigureAwait(false);
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    private BackupRunner Find(string name)
    {
        var all = _backups;
        return all.FirstOrDefault(b => b.Definition.Name == name)?.Runner
            ?? throw new BackupException(
                $"there is no backup '{name}'; there {(all.Count == 0 ? "are none" : "are: " + string.Join(", ", all.Select(b => b.Definition.Name)))}."
            );
    }

    private static IReadOnlyList<BackupRunResult> Results(BackupReport report) =>
        [
            .. report.Destinations.Select(d => new BackupRunResult(
                d.Destination,
                d.Backup?.Id,
                d.Error?.Message,
                d.Backup?.ContentBytes ?? 0,
                d.Backup?.StoredBytes ?? 0,
                d.Backup?.SentBytes ?? 0
            )
            {
                Transaction = d.Backup?.To.Transaction ?? 0,
            }),
        ];

    private static IReadOnlyList<BackupRunResult> Results(IReadOnlyList<DrillReport> reports) =>
        [.. reports.Select(d => new BackupRunResult(d.Destination, d.Backup, d.Problem, d.Bytes, 0, 0))];
}
