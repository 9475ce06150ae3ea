using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Records;

namespace Pipeline.Hosting.Consumers;

/// <summary>Removes unused consumers of the change feed, so that nothing is kept for them.</summary>
internal static class ConsumerService
{
    /// <summary>Removes a consumer.</summary>
    /// <param name="database">The consumer's database.</param>
    /// <param name="configuration">The configuration with the tasks in use.</param>
    /// <param name="name">Its name: <c>etl/old-task</c>.</param>
    /// <param name="forgetsPosition">
    /// Whether to remove its position too, so that a new task of that name would start at the beginning.
    /// </param>
    /// <param name="cancellationToken">Cancels it before anything is done.</param>
    /// <exception cref="WorkerException">There is no such consumer, or it is in use.</exception>
    public static async Task<ConsumerRemoval> RemoveAsync(
        DocumentDatabase database,
        PipelineConfiguration configuration,
        string name,
        bool forgetsPosition,
        CancellationToken cancellationToken
    )
    {
        if (name.StartsWith("index/", StringComparison.OrdinalIgnoreCase))
        {
            throw new WorkerException(
                $"'{name}' is an index: 'pipeline index delete {name[6..]}' removes it",
                ExitCodes.Failed
            );
        }

        if (name.StartsWith("subscription/", StringComparison.OrdinalIgnoreCase))
        {
            throw new WorkerException(
                $"'{name}' is a subscription: 'pipeline subscription delete {name[13..]}' removes it",
                ExitCodes.Failed
            );
        }

        if (
            EtlTaskKeys.TaskOf(name) is { } named
            && configuration.Etl.FirstOrDefault(t => t.Name.Equals(named, StringComparison.OrdinalIgnoreCase))
                is { } task
        )
        {
            throw new WorkerException(
                $"the task '{task.Name}' is in {configuration.File}: take it out of the file first; 'pipeline apply' then forgets it where a worker runs",
                ExitCodes.Failed
            );
        }

        var all = database.Consumers.List();
        var known =
            all.FirstOrDefault(c => c.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new WorkerException(
                $"there is no consumer '{name}'; {(all.Count == 0 ? "there is none at all" : Spelling.Suggest(name, all.Select(c => c.Name)) ?? "'pipeline consumers list' shows them")}",
                ExitCodes.Failed
            );
        var status = database.Consumers.Measure(known.Name);

        // State that depends on the position goes first: if this is interrupted, the consumer still exists and can be
        // removed again.
        if (forgetsPosition && EtlTaskKeys.TaskOf(known.Name) is { } forgotten)
            await EtlTaskKeys.ForgetAsync(database, forgotten, cancellationToken).ConfigureAwait(false);
        await database
            .WriteAsync(
                transaction =>
                {
                    transaction.RemoveConsumer(known.Name);
                    transaction.ReleaseRevisions(known.PositionKey);
                    if (forgetsPosition)
                        transaction.DeleteState(known.PositionKey);
                },
                cancellationToken
            )
            .ConfigureAwait(false);
        return new ConsumerRemoval(known.Name, status?.Position ?? 0, forgetsPosition, status?.HeldTombstones ?? 0);
    }
}
