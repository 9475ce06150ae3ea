using Pipeline.Backups.Drills;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups;

/// <content>The loops that run jobs on schedule.</content>
public sealed partial class BackupService
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromHours(1);

    private static IEnumerable<(BackupJob Job, string Cron)> Jobs(BackupDefinition definition)
    {
        if (definition.Schedule?.Full is { } full)
            yield return (BackupJob.Full, full);
        if (definition.Schedule?.Incremental is { } incremental)
            yield return (BackupJob.Incremental, incremental);
        if (definition.Schedule?.Drill is { } drill)
            yield return (BackupJob.Drill, drill);
    }

    private void Begin(ScheduledBackup backup, bool makesUp) =>
        backup.Loops = [
            .. Jobs(backup.Definition).Select(j => Task.Run(() => LoopAsync(backup, j.Job, j.Cron, makesUp))),
        ];

    private async Task LoopAsync(ScheduledBackup backup, BackupJob job, string cron, bool makesUp)
    {
        var definition = backup.Definition;
        var schedule = definition.Schedule!;
        var clock = new ScheduleClock(cron, schedule, HashCode.Combine(_seed, (int)job, definition.Name.Length));
        var now = _options.Time.GetUtcNow();
        var last =
            makesUp && schedule.Missed == MissedRunPolicy.RunOnce
                ? _history
                    .Read()
                    .LastOrDefault(r => r.Name == definition.Name && r.Job == job && r.Scheduled is not null)
                    ?.Scheduled
                : null;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, backup.Stop.Token);
        var due = clock.Next(last ?? now);
        try
        {
            while (due is { } at)
            {
                stop.Token.ThrowIfCancellationRequested();
                _next[(definition.Name, job)] = at;
                await WaitAsync(clock.Begin(at), stop.Token).ConfigureAwait(false);
                stop.Token.ThrowIfCancellationRequested();
                // This run makes up for all runs missed until now.
                now = _options.Time.GetUtcNow();
                for (var later = clock.Next(at); later <= now; later = clock.Next(at))
                    at = later.Value;
                await RunScheduledAsync(backup, job, at).ConfigureAwait(false);
                due = clock.Next(schedule.Missed == MissedRunPolicy.RunOnce ? at : _options.Time.GetUtcNow());
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            if (_stop.IsCancellationRequested)
                _next.TryRemove((definition.Name, job), out _);
        }
    }

    private async Task WaitAsync(DateTimeOffset until, CancellationToken ct)
    {
        // Waits in parts, to notice when the clock is set.
        for (
            var left = until - _options.Time.GetUtcNow();
            left > TimeSpan.Zero;
            left = until - _options.Time.GetUtcNow()
        )
        {
            await Task.Delay(left < LongestWait ? left : LongestWait, _options.Time, ct).ConfigureAwait(false);
        }
    }

    private async Task RunScheduledAsync(ScheduledBackup backup, BackupJob job, DateTimeOffset due)
    {
        var definition = backup.Definition;
        try
        {
            await DoAsync(
                    definition,
                    job,
                    due,
                    async (running, stop) =>
                        job == BackupJob.Drill
                            ? Results(
                                await BackupDrill
                                    .RunAsync(definition, _database, _options, running, stop)
                                    .ConfigureAwait(false)
                            )
                            : Results(
                                await MakeAsync(
                                        backup.Runner,
                                        job == BackupJob.Full ? BackupKind.Full : BackupKind.Incremental,
                                        NameOf(job, due),
                                        running,
                                        stop
                                    )
                                    .ConfigureAwait(false)
                            ),
                    _stop.Token
                )
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!_stop.IsCancellationRequested)
        {
            // Cancelled on request, or by the end of the leadership.
            BackupLog.Cancelled(_logger, definition.Name);
        }
        catch (Exception e) when (e is Storage.NotLeaderException or Storage.NotAcceptedException)
        {
            // The next leader runs it.
            BackupLog.Cancelled(_logger, definition.Name);
        }
#pragma warning disable CA1031 // A failed run must not end the schedule.
        catch (Exception e) when (e is not OperationCanceledException)
#pragma warning restore CA1031
        {
            BackupLog.RunFailed(_logger, definition.Name, e);
        }
    }
}
