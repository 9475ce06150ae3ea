using System.Globalization;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Worker.CommandLine;

namespace Pipeline.Worker.Backups;

/// <content><c>--preview</c>: the changes that a restore would remove.</content>
internal sealed partial class RestoreCommand
{
    private async Task<int> PreviewAsync(
        CommandRun run,
        string name,
        BackupRepository repository,
        RestorePoint point,
        CancellationToken cancellationToken
    )
    {
        var reached = await new BackupRestorer(repository, run.Time)
            .FindAsync(point, cancellationToken)
            .ConfigureAwait(false);
        var source = DataSource.Find(run.Settings);
        var preview = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskPreviewAsync(url, name, run.Parsed.GetValue(_destination), reached.Position, cancellationToken)
                .ConfigureAwait(false)
            : await PreviewHereAsync(run, source, reached.Position, cancellationToken).ConfigureAwait(false);
        if (run.IsJson)
        {
            await run.PrintAsync(new { reached, preview }, "", cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }

        var text = run.Console.Out;
        await text.WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"a restore would lead to position {preview.From}, of {reached.Time.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z; {source.Description} is at {preview.To}. It would lose:"
                )
            )
            .ConfigureAwait(false);
        foreach (var (collection, counts) in preview.Collections)
        {
            await text.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"  {collection}: {counts.Written:N0} documents written, {counts.Deleted:N0} deletions"
                    )
                )
                .ConfigureAwait(false);
        }

        if (preview.Newest.Count == 0)
            await text.WriteLineAsync("  nothing").ConfigureAwait(false);
        else
            await text.WriteLineAsync("  the last of them: " + string.Join(", ", preview.Newest)).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static async Task<RestorePreview> PreviewHereAsync(
        CommandRun run,
        DataSource source,
        long position,
        CancellationToken cancellationToken
    )
    {
        var database = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = database.ConfigureAwait(false);
        return RestorePreview.Of(database.Database, position, cancellationToken);
    }

    private static async Task<RestorePreview> AskPreviewAsync(
        string url,
        string name,
        int destination,
        long position,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var path = string.Create(
            CultureInfo.InvariantCulture,
            $"/backups/{Uri.EscapeDataString(name)}/preview?position={position}{(destination > 0 ? $"&destination={destination}" : "")}"
        );
        return WorkerClient
            .Read<PreviewAnswer>(await client.SendAsync(HttpMethod.Get, path, cancellationToken).ConfigureAwait(false))
            .Preview;
    }

    private sealed record PreviewAnswer(RestorePreview Preview);
}
