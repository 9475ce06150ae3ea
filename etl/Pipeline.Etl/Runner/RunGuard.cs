using System.Globalization;
using System.Security.Cryptography;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Records;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Decides whether a task may run, from the database's lineage, the target's record, and earlier processes that ended
/// while its script ran.
/// </summary>
internal sealed class RunGuard(TaskContext context, RunMarker? marker)
{
    private readonly string _runId = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(6));

    private IChangeFeed Feed => context.Feed;

    /// <summary>Records the run in the database before the target can learn of it.</summary>
    /// <exception cref="TaskBlockedException">The task waits for a person's decision.</exception>
    public async Task<TaskRun> BeginAsync(DurableCursor cursor, CancellationToken stop)
    {
        var lineages = Feed.Lineages;
        var key = EtlTaskKeys.Standing(context.Name);
        TaskStanding? kept;
        using (var snapshot = Feed.OpenSnapshot())
            kept = TaskStanding.Parse(snapshot.GetState(key));

        var standing = kept ?? TaskStanding.Begin(lineages, cursor.Position, Feed.LastPosition);
        if (standing.Conflict is null && standing.Lineage != lineages.Current.Id)
            standing = standing with { Conflict = Conflict(LineageReason(lineages.Current), cursor, null) };
        else if (standing.Conflict is null)
            standing = standing.With(_runId, cursor.Position);
        if (standing.Conflict is null && marker is { IsBlocked: true })
        {
            standing = standing with
            {
                Conflict = Conflict(EndsReason(marker.Ends), cursor, null) with { IsOfScript = true },
            };
        }

        if (standing != kept)
            await StoreAsync(standing, stop).ConfigureAwait(false);
        // The database has recorded it now.
        if (standing.Conflict is { IsOfScript: true })
            marker?.Forgive();
        if (standing.Conflict is { } conflict)
            throw new TaskBlockedException(conflict);
        context.Progress.Block(null);
        return new TaskRun(lineages, () => Feed.LastPosition, TimeOf, standing);
    }

    /// <summary>
    /// Stops the run if another task has found that the database went back in time. Nothing more is sent until a person
    /// decides.
    /// </summary>
    public void CheckLineage(TaskRun run)
    {
        if (!ReferenceEquals(Feed.Lineages, run.Lineages))
            throw new LineageChangedException();
    }

    /// <summary>Stores a conflict between the target and the database, until a person decides.</summary>
    public async Task<TaskConflict> KeepConflictAsync(
        TaskRun run,
        TargetConflictException e,
        DurableCursor cursor,
        CancellationToken stop
    )
    {
        // Positions will be assigned a second time, and new messages must not reuse the ids that the target has. Begin
        // the lineage first: after a crash in between, a decision needs it.
        if (e.IsOfLineage)
        {
            await Feed.BeginLineageAsync(
                    run.Lineages,
                    run.Standing.After + 1,
                    $"task '{context.Name}' found that {e.Message}",
                    stop
                )
                .ConfigureAwait(false);
        }

        var conflict = Conflict(e.Message, cursor, e.Mark);
        await StoreAsync(run.Standing with { Conflict = conflict }, stop).ConfigureAwait(false);
        return conflict;
    }

    /// <summary>Stores the database's record of the task's runs.</summary>
    public Task StoreAsync(TaskStanding standing, CancellationToken stop) =>
        Feed.CommitAsync(new FeedCommit([], EtlTaskKeys.Standing(context.Name), standing.ToBytes()), stop);

    private DateTimeOffset? TimeOf(long position)
    {
        var changes = new List<FeedChange>(1);
        using var snapshot = Feed.OpenSnapshot();
        snapshot.ReadChanges(position - 1, new CursorFilter(null, Deletes: true), maxChanges: 1, maxBytes: 1, changes);
        return changes is [var change] && change.Position == position ? change.Document.LastModified : null;
    }

    private TaskConflict Conflict(string reason, DurableCursor cursor, TargetMark? mark) =>
        new(
            $"Task '{context.Name}' waits for a decision: {reason}. To resume it, run 'pipeline etl resume {context.Name} --from POSITION'; instead of a number, --from takes position, lineage or end.",
            context.Time.GetUtcNow(),
            cursor.Position,
            mark
        );

    private static string EndsReason(int ends) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"the process ended {ends} times in a row while the task's script ran; correct the script first, for example if it recurses too deeply"
        );

    private static string LineageReason(DatabaseLineage lineage) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{lineage.Reason}; lineage {lineage.Id} begins with position {lineage.First}, and the target may hold later changes of the lineage before"
        );
}
