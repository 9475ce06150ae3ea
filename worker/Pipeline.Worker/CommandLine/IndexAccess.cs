using System.CommandLine;
using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Hosting.Queries;

namespace Pipeline.Worker.CommandLine;

/// <summary>The source of a command's indexes: a database that it opens, or a running worker.</summary>
internal sealed class IndexAccess
{
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    /// <summary>Adds the options that select the source to a command.</summary>
    public IndexAccess(Command command, CommonOptions common)
    {
        command.Add(_url);
        common.AddDatabaseTo(command);
    }

    /// <summary>Lists all indexes.</summary>
    public Task<IReadOnlyList<IndexView>> ListAsync(CommandRun run, CancellationToken cancellationToken) =>
        RunAsync(
            run,
            database => Task.FromResult(IndexView.Of(database)),
            HttpMethod.Get,
            "",
            WorkerClient.Read<IReadOnlyList<IndexView>>,
            cancellationToken
        );

    /// <summary>Lists the errors of an index.</summary>
    public Task<IReadOnlyList<IndexErrorView>> ErrorsAsync(
        CommandRun run,
        string name,
        CancellationToken cancellationToken
    ) =>
        RunAsync(
            run,
            database =>
                Task.FromResult<IReadOnlyList<IndexErrorView>>([
                    .. database.Indexes.GetErrors(name).Select(IndexErrorView.Of),
                ]),
            HttpMethod.Get,
            "/errors" + Query(name),
            WorkerClient.Read<IReadOnlyList<IndexErrorView>>,
            cancellationToken
        );

    /// <summary>Rebuilds an index.</summary>
    public Task<bool> ResetAsync(CommandRun run, string name, CancellationToken cancellationToken) =>
        RunAsync(
            run,
            async database =>
            {
                await database.Indexes.ResetAsync(name, cancellationToken).ConfigureAwait(false);
                return true;
            },
            HttpMethod.Post,
            "/reset" + Query(name),
            _ => true,
            cancellationToken
        );

    /// <summary>Deletes an index.</summary>
    public Task<bool> DeleteAsync(CommandRun run, string name, CancellationToken cancellationToken) =>
        RunAsync(
            run,
            async database =>
                await database.Indexes.DeleteAsync(name, cancellationToken).ConfigureAwait(false)
                    ? true
                    : throw new IndexNotFoundException(name, database.Indexes.List().Select(i => i.Name)),
            HttpMethod.Delete,
            Query(name),
            _ => true,
            cancellationToken
        );

    private static string Query(string name) => "?name=" + Uri.EscapeDataString(name);

    private async Task<T> RunAsync<T>(
        CommandRun run,
        Func<DocumentDatabase, Task<T>> act,
        HttpMethod method,
        string path,
        Func<string, T> read,
        CancellationToken cancellationToken
    )
    {
        try
        {
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                using var client = new WorkerClient(url);
                return read(await client.SendAsync(method, "/indexes" + path, cancellationToken).ConfigureAwait(false));
            }
            var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            return await act(opened.Database).ConfigureAwait(false);
        }
        catch (IndexNotFoundException e)
        {
            throw new WorkerException($"{e.Message.TrimEnd('.')}; 'pipeline indexes' lists them", ExitCodes.Failed, e);
        }
    }
}
