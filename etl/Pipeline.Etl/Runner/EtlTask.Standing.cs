using System.Globalization;
using System.Security.Cryptography;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <content>Whether the task may run: the database's lineage, and what the target remembers.</content>
internal sealed partial class EtlTask
{
    private readonly string _runId = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(6));

    /// <summary>Makes the run known to the database before the target can hear of it.</summary>
    /// <exception cref="TaskBlockedException">The task waits for a person's decision.</exception>
    private async Task<TaskRun> BeginRunAsync(DurableCursor cursor, CancellationToken stop)
    {
        DatabaseLineages lineages = _feed.Lineages;
        string key = EtlTaskKeys.Standing(_task.Name);
        TaskStanding? kept;
        using (IFeedSnapshot snapshot = _feed.OpenSnapshot()) kept = TaskStanding.Parse(snapshot.GetState(key));

        TaskStanding standing = kept ?? TaskStanding.Begin(lineages, cursor.Position, _feed.LastPosition);
        if (standing.Conflict is null && standing.Lineage != lineages.Current.Id) standing = standing with { Conflict = Conflict(LineageReason(lineages.Current), cursor, null) };
        else if (standing.Conflict is null) standing = standing.With(_runId, cursor.Position);
        if (standing.Conflict is null && _marker is { IsBlocked: true }) standing = standing with { Conflict = Conflict(EndsReason(_marker.Ends), cursor, null) with { IsOfScript = true } };
        if (standing != kept) await StoreAsync(standing, stop).ConfigureAwait(false);
        // From here on the database remembers it.
        if (standing.Conflict is { IsOfScript: true }) _marker?.Forgive();
        if (standing.Conflict is { } conflict) throw new TaskBlockedException(conflict);
        _progress.Block(null);
        return new TaskRun(lineages, () => _feed.LastPosition, TimeOf, standing);
    }

    private DateTimeOffset? TimeOf(long position)
    {
        var changes = new List<FeedChange>(1);
        using IFeedSnapshot snapshot = _feed.OpenSnapshot();
        snapshot.ReadChanges(position - 1, new CursorFilter(null, Deletes: true), maxChanges: 1, maxBytes: 1, changes);
        return changes is [var change] && change.Position == position ? change.Document.LastModified : null;
    }

    /// <summary>Another task may have found that the database went back: nothing more is sent before a person decides.</summary>
    private void CheckLineage(TaskRun run)
    {
        if (!ReferenceEquals(_feed.Lineages, run.Lineages)) throw new LineageChangedException();
    }

    /// <summary>Keeps that the target and the database contradict each other, until a person decides.</summary>
    private async Task<TaskConflict> KeepConflictAsync(TaskRun run, TargetConflictException e, DurableCursor cursor, CancellationToken stop)
    {
        // Positions are given a second time: what comes must not have the ids of what the target has. First, as a decision after a crash between the two needs it.
        if (e.IsOfLineage) await _feed.BeginLineageAsync(run.Lineages, run.Standing.After + 1, $"task '{_task.Name}' found that {e.Message}", stop).ConfigureAwait(false);
        TaskConflict conflict = Conflict(e.Message, cursor, e.Mark);
        await StoreAsync(run.Standing with { Conflict = conflict }, stop).ConfigureAwait(false);
        return conflict;
    }

    /// <summary>Waits until the task is woken, as a decision does.</summary>
    private async Task StandAsync(TaskConflict conflict, CancellationToken stop)
    {
        _logger.Blocked(_task.Name, conflict.Reason);
        _progress.Block(conflict);
        await _woken.Task.WaitAsync(stop).ConfigureAwait(false);
        _woken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    private Task StoreAsync(TaskStanding standing, CancellationToken stop) =>
        _feed.CommitAsync(new FeedCommit([], EtlTaskKeys.Standing(_task.Name), standing.ToBytes()), stop);

    private TaskConflict Conflict(string reason, DurableCursor cursor, TargetMark? mark) => new(
        $"Task '{_task.Name}' waits for a decision: {reason}. To resume it, run 'pipeline etl resume {_task.Name} --from POSITION'; instead of a number, --from takes position, lineage or end.",
        _time.GetUtcNow(), cursor.Position, mark);

    private static string EndsReason(int ends) => string.Create(CultureInfo.InvariantCulture,
        $"the process ended {ends} times in a row while the task's script ran; mend the script first, for example if it recurses too deeply");

    private static string LineageReason(DatabaseLineage lineage) => string.Create(CultureInfo.InvariantCulture,
        $"{lineage.Reason}; lineage {lineage.Id} begins with position {lineage.First}, and the target may hold later changes of the lineage before");
}
