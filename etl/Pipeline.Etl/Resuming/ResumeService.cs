using System.Globalization;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Records;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Resuming;

/// <summary>
/// Stores a person's decision about a blocked task. A task is blocked if its target has changes that the database does
/// not have, if its database was restored or copied, or if its script ended the process. Works in the database of a
/// running worker or in one that no other process has open. Thread-safe.
/// </summary>
/// <remarks><see cref="EtlHost.Wake"/> makes a running task resume at once.</remarks>
public sealed class ResumeService(DocumentDatabase database)
{
    private readonly DatabaseChangeFeed _feed = new(database);

    /// <summary>
    /// Decides, durably, where the task resumes. From then on the target's records of other lineages are ignored.
    /// </summary>
    /// <param name="task">The task.</param>
    /// <param name="from">
    /// The first position to send, or one of three words. <c>position</c>: the changes that, according to the database,
    /// the task has not sent. <c>lineage</c>: the changes since the restore or copy. <c>end</c>: only future changes.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ResumeException">The task is not blocked, or the position is invalid.</exception>
    public async Task<ResumedTask> ResumeAsync(
        EtlTaskConfiguration task,
        string from,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(task);
        ArgumentNullException.ThrowIfNull(from);
        var lineages = database.Lineages;
        var cursor = ((IChangeFeed)_feed).OpenCursor(EtlTaskKeys.ConsumerName(task.Name), task.ToFeedFilter());
        TaskStanding? kept;
        using (var snapshot = _feed.OpenSnapshot())
            kept = TaskStanding.Parse(snapshot.GetState(EtlTaskKeys.Standing(task.Name)));
        var standing = kept ?? TaskStanding.Begin(lineages, cursor.Position, database.LastPosition);
        if (standing.Conflict is null && standing.Lineage == lineages.Current.Id)
        {
            throw new ResumeException(
                $"task '{task.Name}' is not blocked; to send something again use 'pipeline replay {task.Name} --from POSITION'"
            );
        }

        var position = Resolve(from, lineages, cursor.Position, database.LastPosition);
        // A corrected script decides nothing about the target's records.
        standing = standing.Conflict is { IsOfScript: true }
            ? standing with
            {
                Conflict = null,
            }
            : standing with
            {
                Lineage = lineages.Current.Id,
                Conflict = null,
                Accepts = true,
                Accepted = null,
            };
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
                throw new ResumeException(
                    "the database is in its first lineage, so 'lineage' would mean everything: give a position, or 'position' or 'end'"
                );
            case "lineage":
                return Math.Max(0, lineages.Current.First - 1);
        }

        if (!long.TryParse(from, NumberStyles.None, CultureInfo.InvariantCulture, out var first))
        {
            throw new ResumeException(
                $"'{from}' is not a place to continue from: give the first position to send, or 'position', 'lineage' or 'end'"
            );
        }

        if (first > last + 1)
        {
            throw new ResumeException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"position {first} is not one of the database's, which end at {last}"
                )
            );
        }

        return Math.Max(0, first - 1);
    }
}
