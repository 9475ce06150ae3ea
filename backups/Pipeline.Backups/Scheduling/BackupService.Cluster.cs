using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.Storage;

namespace Pipeline.Backups;

/// <content>
/// A node of a cluster: its schedules run while it leads, and its journal is kept for the backups of all nodes.
/// </content>
public sealed partial class BackupService
{
    private static readonly TimeSpan KeepEvery = TimeSpan.FromSeconds(1);
    private readonly JournalKeeper? _keeper;
    private Task _keeping = Task.CompletedTask;
    private CancellationTokenSource _term = new();
    private bool _acts;

    /// <summary>Has another node make the backups that are not the leader's; null outside of a cluster.</summary>
    internal IBackupHelper? Helper { get; set; }

    private CancellationToken TermToken
    {
        get
        {
            lock (_gate)
                return _term.Token;
        }
    }

    /// <summary>
    /// Runs the schedules from now on, and makes up for runs that were missed: this node of a cluster leads.
    /// </summary>
    internal void BeginTerm()
    {
        lock (_gate)
        {
            if (_acts)
                return;
            _acts = true;
            foreach (var backup in _backups.Where(_ => _started))
                Begin(backup, makesUp: true);
        }
    }

    /// <summary>
    /// Ends the schedules and the current run: this node of a cluster no longer leads. The next leader repeats the run, and
    /// uses the chunks that were sent.
    /// </summary>
    internal void EndTerm()
    {
        CancellationTokenSource over;
        lock (_gate)
        {
            (over, _term) = (_term, new CancellationTokenSource());
            _acts = false;
        }
        over.Cancel();
        over.Dispose();
        // With new loops for the next term.
        Apply([.. Definitions], new HashSet<string>(StringComparer.Ordinal));
    }

    /// <summary>
    /// Makes a backup at this node for the leader of its cluster, which records it. Waits for the current run.
    /// </summary>
    /// <param name="name">The backup's name.</param>
    /// <param name="kind">The kind; null chooses.</param>
    /// <param name="run">Names the scheduled run; null for a run on request.</param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it; the chunks already sent stay for the next run.</param>
    /// <exception cref="BackupException">No backup of this node's configuration has the name.</exception>
    internal async Task<BackupReport> RunForLeaderAsync(
        string name,
        BackupKind? kind,
        string? run,
        IProgress<BackupProgress> progress,
        CancellationToken ct
    )
    {
        var runner = Find(name);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct, _stop.Token);
        await _turn.WaitAsync(stop.Token).ConfigureAwait(false);
        try
        {
            var job = kind == BackupKind.Full ? BackupJob.Full : BackupJob.Incremental;
            var running = _running[name] = new RunningJob(job, stop, _options.Time.GetUtcNow());
            _keeper?.Prepare(BackupRunner.SharedHoldName(name));
            return await runner.RunAsync(kind, run, running.Also(progress), stop.Token).ConfigureAwait(false);
        }
        finally
        {
            _running.TryRemove(name, out _);
            _turn.Release();
        }
    }

    /// <summary>Makes a backup, at another node if the definition names one.</summary>
    private async Task<BackupReport> MakeAsync(
        BackupRunner runner,
        BackupKind? kind,
        string? run,
        IProgress<BackupProgress> progress,
        CancellationToken ct
    )
    {
        if (Helper is { } helper && runner.Definition.Node != BackupDefinition.AtLeader)
        {
            var report = await helper.TryRunAsync(runner.Definition, kind, run, progress, ct).ConfigureAwait(false);
            if (report is not null)
                return report;
        }
        return await runner.RunAsync(kind, run, progress, ct).ConfigureAwait(false);
    }

    private IEnumerable<string> HoldNames(BackupDefinition definition) =>
        _options.IsShared
            ? [BackupRunner.SharedHoldName(definition.Name)]
            : definition.Destinations.Select(p => BackupRunner.HoldName(definition.Name, Description(definition, p)));

    /// <summary>The name of a scheduled run in the manifests of a cluster; null outside of one.</summary>
    private string? NameOf(BackupJob job, DateTimeOffset due) =>
        _options.IsShared ? $"{Text(job)} {due.UtcDateTime:yyyy-MM-ddTHH:mm:ssZ}" : null;

    /// <summary>Has each node keep its journal from before the backup on.</summary>
    private async Task PrepareAsync(string name, DateTimeOffset started, CancellationToken ct)
    {
        if (_keeper is null)
            return;
        _keeper.Prepare(BackupRunner.SharedHoldName(name));
        await _history.BeginAsync(name, started, ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Adds a run to the history. A run that ended because this node stops leading is not recorded as failed: the next
    /// leader repeats it.
    /// </summary>
    private async Task RecordAsync(BackupRun run, CancellationToken term)
    {
        if (_options.IsShared && !run.Ok && (term.IsCancellationRequested || _stop.IsCancellationRequested))
        {
            BackupLog.NotRecorded(_logger, run.Name);
            return;
        }
        try
        {
            await _history.AddAsync(run, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e) when (e is NotLeaderException or NotAcceptedException)
        {
            BackupLog.NotRecorded(_logger, run.Name);
        }
    }

    private void BeginKeeping()
    {
        if (_keeper is null)
            return;
        Keep();
        _keeping = Task.Run(KeepAsync);
    }

    private async Task KeepAsync()
    {
        string? told = null;
        using var timer = new PeriodicTimer(KeepEvery, _options.Time);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false))
            {
                string? problem = null;
                try
                {
                    Keep();
                }
                catch (Exception e) when (e is StorageException or IOException or UnauthorizedAccessException)
                {
                    problem = e.Message;
                    if (problem != told)
                        BackupLog.JournalNotKept(_logger, problem);
                }
                told = problem;
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The worker stops; the holds stay for its next start.
        }
    }

    private void Keep()
    {
        var (history, begun) = (_history.Read(), _history.ReadBegun());
        _keeper!.Look(
            Definitions.Select(d => JournalNeed.Of(d.Name, history, begun)),
            name => _running.ContainsKey(name)
        );
    }
}
