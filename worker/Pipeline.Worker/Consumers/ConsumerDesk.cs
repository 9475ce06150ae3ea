using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.Consumers;

/// <summary>Forgets those who follow the change feed no more, so that nothing is kept for them.</summary>
internal static class ConsumerDesk
{
    /// <summary>Forgets one.</summary>
    /// <param name="database">Whose it is.</param>
    /// <param name="configuration">Whose tasks are in use.</param>
    /// <param name="name">Its name: <c>etl/old-task</c>.</param>
    /// <param name="forgetsPosition">Whether its position goes too, so that a task of that name would begin at the beginning.</param>
    /// <param name="cancellationToken">Ends it before anything is done.</param>
    /// <exception cref="WorkerException">There is none, or it is in use.</exception>
    public static async Task<ConsumerRemoval> RemoveAsync(DocumentDatabase database, PipelineConfiguration configuration, string name, bool forgetsPosition, CancellationToken cancellationToken)
    {
        if (name.StartsWith("index/", StringComparison.OrdinalIgnoreCase))
            throw new WorkerException($"'{name}' is an index: 'pipeline index delete {name[6..]}' removes it", ExitCodes.Failed);
        if (name.StartsWith("subscription/", StringComparison.OrdinalIgnoreCase))
            throw new WorkerException($"'{name}' is a subscription: 'pipeline subscription delete {name[13..]}' removes it", ExitCodes.Failed);
        if (EtlTaskKeys.TaskOf(name) is { } named && configuration.Etl.FirstOrDefault(t => t.Name.Equals(named, StringComparison.OrdinalIgnoreCase)) is { } task)
            throw new WorkerException($"the task '{task.Name}' is in {configuration.File}: take it out of the file first; 'pipeline apply' then forgets it where a worker runs", ExitCodes.Failed);
        var all = database.Consumers.List();
        var known = all.FirstOrDefault(c => c.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new WorkerException($"there is no consumer '{name}'; {(all.Count == 0 ? "there is none at all" : Spelling.Suggest(name, all.Select(c => c.Name)) ?? "'pipeline consumers list' shows them")}", ExitCodes.Failed);
        var status = database.Consumers.Measure(known.Name);

        // First what hangs on the position: where this is cut short, the consumer is still there to be forgotten.
        if (forgetsPosition && EtlTaskKeys.TaskOf(known.Name) is { } forgotten)
            await EtlTaskKeys.ForgetAsync(database, forgotten, cancellationToken).ConfigureAwait(false);
        await database.WriteAsync(
            transaction =>
            {
                transaction.RemoveConsumer(known.Name);
                transaction.ReleaseRevisions(known.PositionKey);
                if (forgetsPosition)
                    transaction.DeleteState(known.PositionKey);
            },
            cancellationToken).ConfigureAwait(false);
        return new ConsumerRemoval(known.Name, status?.Position ?? 0, forgetsPosition, status?.HeldTombstones ?? 0);
    }
}
