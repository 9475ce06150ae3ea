using Pipeline.Backups;
using Pipeline.Worker.CommandLine;

namespace Pipeline.Worker.Backups;

/// <summary>The backups of a running worker, as commands see them over HTTP.</summary>
internal static class RemoteBackup
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(500);

    /// <summary>Waits for the answer to a request and shows the backup's progress on a terminal.</summary>
    /// <param name="run">The command.</param>
    /// <param name="client">The worker.</param>
    /// <param name="name">The backup that the request works on.</param>
    /// <param name="answer">The request.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async Task<string> WatchAsync(
        CommandRun run,
        WorkerClient client,
        string name,
        Task<string> answer,
        CancellationToken cancellationToken
    )
    {
        if (!run.Console.IsErrorTerminal)
            return await answer.ConfigureAwait(false);
        var line = new BackupLine(run.Console, run.Time);
        using var timer = new PeriodicTimer(Look, run.Time);
        try
        {
            while (
                await Task.WhenAny(answer, timer.WaitForNextTickAsync(cancellationToken).AsTask()).ConfigureAwait(false)
                != answer
            )
            {
                cancellationToken.ThrowIfCancellationRequested();
                var statuses = await StatusAsync(client, cancellationToken).ConfigureAwait(false);
                if (statuses.FirstOrDefault(s => s.Name == name)?.Progress is { } progress)
                    line.Report(progress);
            }
        }
        finally
        {
            line.Clear();
        }

        return await answer.ConfigureAwait(false);
    }

    /// <summary>The given name, or the names of all backups of the worker.</summary>
    /// <exception cref="WorkerException">The worker has none.</exception>
    public static async Task<IReadOnlyList<string>> NamesAsync(
        WorkerClient client,
        string? name,
        CancellationToken cancellationToken
    )
    {
        if (name is not null)
            return [name];
        var statuses = await StatusAsync(client, cancellationToken).ConfigureAwait(false);
        return statuses.Count > 0
            ? [.. statuses.Select(s => s.Name).Distinct(StringComparer.Ordinal)]
            : throw new WorkerException("the worker's configuration has no 'backups'", ExitCodes.Usage);
    }

    private static async Task<IReadOnlyList<BackupStatus>> StatusAsync(
        WorkerClient client,
        CancellationToken cancellationToken
    ) =>
        WorkerClient
            .Read<BackupsAnswer>(await client.GetAsync("/backups", cancellationToken).ConfigureAwait(false))
            .Status;

    private sealed record BackupsAnswer(IReadOnlyList<BackupStatus> Status);
}
