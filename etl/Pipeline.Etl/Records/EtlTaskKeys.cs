using Pipeline.Database;

namespace Pipeline.Etl.Records;

/// <summary>The names under which the database registers a task as a consumer and stores the task's state.</summary>
public static class EtlTaskKeys
{
    private const string ConsumerPrefix = "etl/";
    private const int PageSize = 4096;

    /// <summary>The name under which the database registers a task as a consumer: <c>etl/NAME</c>.</summary>
    public static string ConsumerName(string task) => ConsumerPrefix + task;

    /// <summary>
    /// The name of the task that a consumer represents, or <see langword="null"/> if it is not a task.
    /// </summary>
    public static string? TaskOf(string consumer)
    {
        ArgumentNullException.ThrowIfNull(consumer);
        return consumer.StartsWith(ConsumerPrefix, StringComparison.OrdinalIgnoreCase)
            ? consumer[ConsumerPrefix.Length..]
            : null;
    }

    /// <summary>
    /// Removes a task's record, its replay and the list of documents that its documents loaded. Keeps its position and
    /// its dead letters.
    /// </summary>
    /// <param name="database">The database, in which the task does not run.</param>
    /// <param name="task">The task.</param>
    /// <param name="cancellationToken">Cancels the call; another call removes the rest.</param>
    public static async Task ForgetAsync(
        DocumentDatabase database,
        string task,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        foreach (var prefix in (string[])[Loads(task), LoadedBy(task)])
        {
            // Delete in pages: there are some keys for every document.
            while (true)
            {
                List<string> keys;
                using (var snapshot = database.OpenSnapshot())
                    keys = [.. snapshot.GetStates(prefix).Take(PageSize).Select(s => s.Key)];
                if (keys.Count > 0)
                {
                    await database
                        .WriteAsync(t => keys.ForEach(k => t.DeleteState(k)), cancellationToken)
                        .ConfigureAwait(false);
                }

                if (keys.Count < PageSize)
                    break;
            }
        }

        await database
            .WriteAsync(
                transaction =>
                {
                    foreach (
                        var key in (string[])
                            [Record(task), Standing(task), Replay(task), ReplayProgress(task), LoadsUnderway(task)]
                    )
                    {
                        transaction.DeleteState(key);
                    }
                },
                cancellationToken
            )
            .ConfigureAwait(false);
    }

    /// <summary>The task as it last ran.</summary>
    internal static string Record(string task) => "etl-task/" + task;

    /// <summary>Its runs, and whether it waits for a person's decision.</summary>
    internal static string Standing(string task) => "etl-standing/" + task;

    /// <summary>Its replay.</summary>
    internal static string Replay(string task) => "etl-replay/" + task;

    /// <summary>The progress of its replay.</summary>
    internal static string ReplayProgress(string task) => "etl-replay-at/" + task;

    /// <summary>The loaded document whose dependents are being sent again.</summary>
    internal static string LoadsUnderway(string task) => "etl-load-at/" + task;

    /// <summary>The prefix of the keys for what each document loaded.</summary>
    internal static string Loads(string task) => $"etl-loads/{task}/";

    /// <summary>The prefix of the keys for what loaded each document.</summary>
    internal static string LoadedBy(string task) => $"etl-loaded-by/{task}/";
}
