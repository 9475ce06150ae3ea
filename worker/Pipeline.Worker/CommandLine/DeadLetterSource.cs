using System.Buffers;
using System.CommandLine;
using System.Text.Json;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting;
using Pipeline.Hosting.DeadLetters;

namespace Pipeline.Worker.CommandLine;

/// <summary>The dead letters of a running worker, or of a database that no process has open.</summary>
internal sealed class DeadLetterSource
{
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    /// <summary>Adds the options that select the database to a command.</summary>
    public void AddTo(Command command, CommonOptions common)
    {
        command.Add(_url);
        common.AddDatabaseTo(command);
        common.RefuseWith(
            command,
            _url,
            "--url names a running worker, --config and --data a database that no process has open; give one of them"
        );
    }

    /// <summary>Whether the source is a running worker.</summary>
    /// <remarks>Known after the first request.</remarks>
    public bool IsRunning { get; private set; }

    /// <summary>Lists letters.</summary>
    public Task<DeadLetterPage> ListAsync(
        CommandRun run,
        DeadLetterSelection selection,
        int limit,
        CancellationToken cancellationToken
    ) =>
        ActAsync(
            run,
            async client =>
            {
                var path =
                    $"/deadletters?limit={limit}{(selection.Task is { } task ? "&task=" + Uri.EscapeDataString(task) : "")}{(selection.Query is { } query ? "&query=" + Uri.EscapeDataString(query) : "")}";
                return WorkerClient.Read<DeadLetterPage>(
                    await client.GetAsync(path, cancellationToken).ConfigureAwait(false)
                );
            },
            async desk =>
            {
                var letters = await desk.FindAsync(selection, cancellationToken).ConfigureAwait(false);
                return new DeadLetterPage(letters.Count, [.. letters.Take(limit)]);
            },
            cancellationToken
        );

    /// <summary>Returns a letter as indented JSON.</summary>
    public Task<string> ShowAsync(CommandRun run, string id, CancellationToken cancellationToken) =>
        ActAsync(
            run,
            client => client.GetAsync(Letter(id), cancellationToken),
            desk =>
            {
                var json = new ArrayBufferWriter<byte>();
                desk.Get(id).WriteJson(json);
                return Task.FromResult(
                    JsonSerializer.Serialize(
                        JsonSerializer.Deserialize<JsonElement>(json.WrittenSpan),
                        JsonForms.Indented
                    )
                );
            },
            cancellationToken
        );

    /// <summary>Marks letters for retry and, at a running worker, waits for the outcome.</summary>
    public Task<RetryOutcome> RetryAsync(
        CommandRun run,
        DeadLetterSelection selection,
        double waitSeconds,
        CancellationToken cancellationToken
    ) =>
        ActAsync(
            run,
            async client =>
                WorkerClient.Read<RetryOutcome>(
                    await client
                        .SendAsync(
                            HttpMethod.Post,
                            "/deadletters/retry",
                            cancellationToken,
                            Body(selection, waitSeconds)
                        )
                        .ConfigureAwait(false)
                ),
            async desk =>
            {
                var letters = await desk.FindAsync(selection, cancellationToken).ConfigureAwait(false);
                await desk.RetryAsync(letters, cancellationToken).ConfigureAwait(false);
                return await desk.WaitAsync(letters, TimeSpan.Zero, run.Time, cancellationToken).ConfigureAwait(false);
            },
            cancellationToken
        );

    /// <summary>Deletes letters.</summary>
    public Task<int> DropAsync(CommandRun run, DeadLetterSelection selection, CancellationToken cancellationToken) =>
        ActAsync(
            run,
            async client =>
            {
                using var answer = JsonDocument.Parse(
                    await client
                        .SendAsync(HttpMethod.Post, "/deadletters/drop", cancellationToken, Body(selection, 0))
                        .ConfigureAwait(false)
                );
                return answer.RootElement.GetProperty("dropped").GetInt32();
            },
            async desk =>
                await desk.DropAsync(
                        await desk.FindAsync(selection, cancellationToken).ConfigureAwait(false),
                        cancellationToken
                    )
                    .ConfigureAwait(false),
            cancellationToken
        );

    /// <summary>Replaces a letter's input.</summary>
    public Task<bool> EditAsync(CommandRun run, string id, byte[] utf8Json, CancellationToken cancellationToken) =>
        ActAsync(
            run,
            async client =>
            {
                await client.SendAsync(HttpMethod.Put, Letter(id), cancellationToken, utf8Json).ConfigureAwait(false);
                return true;
            },
            async desk =>
            {
                await desk.EditAsync(id, utf8Json, cancellationToken).ConfigureAwait(false);
                return true;
            },
            cancellationToken
        );

    private static string Letter(string id) => "/deadletters/letter?id=" + Uri.EscapeDataString(id);

    private static byte[] Body(DeadLetterSelection selection, double waitSeconds) =>
        JsonSerializer.SerializeToUtf8Bytes(DeadLetterRequest.Of(selection, waitSeconds), JsonForms.Line);

    private async Task<T> ActAsync<T>(
        CommandRun run,
        Func<WorkerClient, Task<T>> ask,
        Func<DeadLetterService, Task<T>> act,
        CancellationToken cancellationToken
    )
    {
        try
        {
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                IsRunning = true;
                using var client = new WorkerClient(url);
                return await ask(client).ConfigureAwait(false);
            }
            // A query may need an index, which only this process can update.
            var opened = OpenedDatabase.OpenExisting(
                DataSource.Find(run.Settings),
                run.Loggers,
                run.Time,
                keepsIndexes: true
            );
            await using var closing = opened.ConfigureAwait(false);
            return await act(new DeadLetterService(opened.Database)).ConfigureAwait(false);
        }
        catch (DeadLetterException e)
        {
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
        }
    }
}
