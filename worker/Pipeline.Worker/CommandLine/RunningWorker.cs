using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary>Finds the worker that has a command's data folder open.</summary>
internal static class RunningWorker
{
    // A worker that has ended refuses at once, so only a busy one takes this long.
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

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
        return await FindAtAsync(run, DataSource.Find(run.Settings), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The address of the worker that serves a database, which standard error then names; <see langword="null"/> if none
    /// does.
    /// </summary>
    public static async Task<string?> FindAtAsync(
        CommandRun run,
        DataSource source,
        CancellationToken cancellationToken
    )
    {
        var file = WorkerAddressFile.Read(source.Path);
        if (file is null || !await ServesAsync(file, cancellationToken).ConfigureAwait(false))
            return null;
        Announce(run, file);
        return file.Url.ToString();
    }

    /// <summary>
    /// The address given with <c>--url</c>; otherwise that of the worker which serves the command's data folder;
    /// otherwise, if the command line names no database, a worker's default address.
    /// </summary>
    /// <param name="run">The command.</param>
    /// <param name="url">Its option <c>--url</c>.</param>
    /// <param name="cancellationToken">Ends the search.</param>
    /// <param name="without">What to do where no worker runs; null for the usual advice.</param>
    /// <exception cref="WorkerException">No worker serves the database that the command line names.</exception>
    public static async Task<string> RequireAsync(
        CommandRun run,
        Option<string?> url,
        CancellationToken cancellationToken,
        string? without = null
    )
    {
        if (run.Parsed.GetValue(url) is { } given)
            return given;
        if (run.Settings.Config is null && run.Settings.Data is null)
            return await FindHereAsync(run, cancellationToken).ConfigureAwait(false) ?? WorkerDefaults.ServerUrl;
        return await FindAsync(run, url, cancellationToken).ConfigureAwait(false)
            ?? throw new WorkerException(
                $"no worker has {DataSource.Find(run.Settings).Path} open; {without ?? "start one with 'pipeline run', or name one with --url"}",
                ExitCodes.Failed
            );
    }

    /// <summary>The address of the worker that has a folder open; <see langword="null"/> if none has.</summary>
    public static async Task<Uri?> AtAsync(string folder, CancellationToken cancellationToken) =>
        WorkerAddressFile.Read(folder) is { } file && await ServesAsync(file, cancellationToken).ConfigureAwait(false)
            ? file.Url
            : null;

    /// <summary>Refuses a configuration that is not the one which the worker of its data folder reads.</summary>
    /// <exception cref="WorkerException">The worker has another file.</exception>
    public static void RequireSameFile(PipelineConfiguration configuration)
    {
        var file = Path.GetFullPath(configuration.File);
        if (
            WorkerAddressFile.Read(configuration.Database.Path) is { ConfigurationFile: { } own } worker
            && !WorkerAddressFile.IsSame(own, file)
        )
        {
            throw new WorkerException(
                $"{file} is not the file of the worker that has {worker.Folder} open; it reads {own}: change that file, or stop the worker",
                ExitCodes.Usage
            );
        }
    }

    /// <summary>The worker of the current folder's configuration, if there is one.</summary>
    private static async Task<string?> FindHereAsync(CommandRun run, CancellationToken cancellationToken)
    {
        try
        {
            var file = File.Exists(WorkerDefaults.ConfigurationFile)
                ? WorkerAddressFile.Read(DataSource.Find(run.Settings).Path)
                : null;
            if (file is null || !await ServesAsync(file, cancellationToken).ConfigureAwait(false))
                return null;
            Announce(run, file);
            return file.Url.ToString();
        }
        catch (Exception e) when (e is ConfigurationException or WorkerException)
        {
            // The command needs a worker, not this file.
            return null;
        }
    }

    private static void Announce(CommandRun run, WorkerAddressFile file) =>
        run.Console.WriteError(
            LogLevel.Information,
            $"pipeline: {file.Folder} is open in the worker at {file.Url.GetLeftPart(UriPartial.Authority)}; asking it"
        );

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
