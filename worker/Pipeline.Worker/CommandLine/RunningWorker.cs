using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary>Finds the worker that has a command's data folder open.</summary>
internal static class RunningWorker
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(3);

    /// <summary>
    /// The address given with <c>--url</c>; otherwise that of the worker which serves the command's data folder, which
    /// standard error then names; <see langword="null"/> if none does.
    /// </summary>
    /// <exception cref="WorkerException">The command line names no database.</exception>
    public static async Task<string?> FindAsync(
        CommandRun run,
        Option<string?> url,
        CancellationToken cancellationToken
    )
    {
        if (run.Parsed.GetValue(url) is { } given)
            return given;
        var file = WorkerAddressFile.Read(DataSource.Find(run.Settings).Path);
        if (file is null || !await ServesAsync(file, cancellationToken).ConfigureAwait(false))
            return null;
        run.Console.WriteError(
            LogLevel.Information,
            $"pipeline: {file.Folder} is open in the worker at {file.Url.GetLeftPart(UriPartial.Authority)}; asking it"
        );
        return file.Url.ToString();
    }

    /// <summary>
    /// Whether a worker answers there for this database. A killed worker leaves its file behind, and another program may
    /// have its port by now.
    /// </summary>
    private static async Task<bool> ServesAsync(WorkerAddressFile file, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(file.Url.ToString());
        try
        {
            var (ok, _, body) = await client
                .AskAsync(HttpMethod.Get, "/stats", Timeout, cancellationToken)
                .ConfigureAwait(false);
            return ok && WorkerClient.Read<DatabaseView>(body).Id == file.DatabaseId;
        }
        catch (Exception e) when (e is WorkerException or System.Text.Json.JsonException)
        {
            return false;
        }
    }
}
