using System.Globalization;
using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Resuming;

/// <summary>
/// Keeps a person's decision about a task that is blocked: its target remembers changes that the database does not have, or the database was restored or copied. In
/// the database of a running worker or one that nobody else has open. Thread-safe.
/// </summary>
/// <remarks><see cref="EtlHost.Wake"/> has a running task go on at once.</remarks>
public sealed class ResumeDesk(DocumentDatabase database)
{
    private readonly DatabaseChangeFeed _feed = new(database);

    /// <summary>Decides, durably, where the task goes on. What the target remembers of other lineages is passed over from then on.</summary>
    /// <param name="task">The task.</param>
    /// <param name="from">
    /// The first position to send; or <c>position</c>: what the task has not sent as far as the database knows; <c>lineage</c>: the changes since the restore or copy;
    /// <c>end</c>: only changes that come.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ResumeException">The task is not blocked, or the position is none.</exception>
    public async Task<ResumedTask> ResumeAsync(EtlTaskConfiguration task, string from, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(task);
        ArgumentNullException.ThrowIfNull(from);
        DatabaseLineages lineages = database.Lineages;
        DurableCursor cursor = ((IChangeFeed)_feed).OpenCursor(EtlTaskKeys.ConsumerName(task.Name), task.ToFeedFilter());
        TaskStanding? kept;
        using (IFeedSnapshot snapshot = _feed.OpenSnapshot()) kept = TaskStanding.Parse(snapshot.GetState(EtlTaskKeys.Standing(task.Name)));
        TaskStanding standing = kept ?? TaskStanding.Begin(lineages, cursor.Position, database.LastPosition);
        if (standing.Conflict is null && standing.Lineage == lineages.Current.Id)
            throw new ResumeException($"task '{task.Name}' is not blocked; to send something again use 'pipeline replay {task.Name} --from POSITION'");
        long position = Resolve(from, lineages, cursor.Position, database.LastPosition);
        standing = standing with { Lineage = lineages.Current.Id, Conflict = null, Accepts = true, Accepted = null };
        var effects = new FeedEffects { States = [new(EtlTaskKeys.Standing(task.Name), standing.ToBytes())] };
        await cursor.MoveAsync(position, effects, cancellationToken).ConfigureAwait(false);
        return new ResumedTask(task.Name, position, database.LastPosition, lineages.Current.Id);
    }

    private static long Resolve(string from, DatabaseLineages lineages, long position, long last)
    {
        switch (from)
        {
            case "position":
                return position;
            case "end":
                return last;
            case "lineage" when lineages.IsInitial:
                throw new ResumeException("the database is in its first lineage, so 'lineage' would mean everything: give a position, or 'position' or 'end'");
            case "lineage":
                return Math.Max(0, lineages.Current.First - 1);
        }

        if (!long.TryParse(from, NumberStyles.None, CultureInfo.InvariantCulture, out long first))
            throw new ResumeException($"'{from}' is not where a task can go on: give the first position to send, or 'position', 'lineage' or 'end'");
        if (first > last + 1) throw new ResumeException(string.Create(CultureInfo.InvariantCulture, $"position {first} is not one of the database's, which end at {last}"));
        return Math.Max(0, first - 1);
    }
}
