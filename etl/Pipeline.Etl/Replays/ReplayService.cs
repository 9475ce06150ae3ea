using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;
using Pipeline.Yaml.Files;

namespace Pipeline.Etl.Replays;

/// <summary>
/// Starts, previews and cancels replays, in the database of a running worker or in one that no other process has open.
/// Thread-safe.
/// </summary>
/// <remarks>The database stores the replay, and the task runs it alongside the live tail. Wake the task to make it look
/// for the replay at once.</remarks>
public sealed class ReplayService(DocumentDatabase database)
{
    private const int SampleMessages = 10;
    private const int MaxErrors = 5;
    private const int BatchChanges = 4096;
    private const long BatchBytes = 16L << 20;
    private readonly DatabaseChangeFeed _feed = new(database);

    /// <summary>Stores a replay, durably.</summary>
    /// <param name="task">The task; it must have run before, or there is nothing to resend.</param>
    /// <param name="request">What to send.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ReplayException">The request is invalid, or a replay is in progress.</exception>
    public async Task<ReplayStatus> StartAsync(
        string task,
        ReplayRequest request,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(request);
        var job = (await ResolveAsync(request, cancellationToken).ConfigureAwait(false)) with
        {
            Id = database.UtcNow.UtcTicks,
        };
        await database
            .WriteAsync(
                transaction =>
                {
                    if (transaction.GetState(ReplayJob.KeyOf(task)) is not null)
                    {
                        throw new ReplayException(
                            $"a replay of '{task}' is in progress; wait for it, or cancel it with --cancel"
                        );
                    }

                    transaction.SetState(ReplayJob.KeyOf(task), job.ToBytes());
                },
                cancellationToken
            )
            .ConfigureAwait(false);
        return job.ToStatus();
    }

    /// <summary>Cancels a replay. Messages that it has already sent are not recalled.</summary>
    /// <returns>Whether there was one.</returns>
    public Task<bool> CancelAsync(string task, CancellationToken cancellationToken = default) =>
        database.WriteAsync(
            transaction =>
            {
                transaction.DeleteState(ReplayJob.ProgressKeyOf(task));
                return transaction.DeleteState(ReplayJob.KeyOf(task));
            },
            cancellationToken
        );

    /// <summary>The replay of a task, or <see langword="null"/> if there is none.</summary>
    public ReplayStatus? Find(string task)
    {
        using var snapshot = _feed.OpenSnapshot();
        return ReplayJob.Read(snapshot, task) is { } job ? job.ToStatus() : null;
    }

    /// <summary>Reports what a replay would send. Sends and changes nothing.</summary>
    /// <param name="name">The database's name.</param>
    /// <param name="task">The task.</param>
    /// <param name="request">What would be sent.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ReplayException">The request is invalid.</exception>
    /// <exception cref="ConfigurationException">The transform does not compile.</exception>
    public async Task<ReplayTrial> TryAsync(
        string name,
        EtlTaskConfiguration task,
        ReplayRequest request,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(task);
        var job = await ResolveAsync(request, cancellationToken).ConfigureAwait(false);
        var diagnostics = new List<Diagnostic>();
        if (TransformCompiler.Compile(task, diagnostics) is not { } script)
            throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
        return await Task.Run(() => Try(name, task, script, job, cancellationToken), cancellationToken)
            .ConfigureAwait(false);
    }

    private ReplayTrial Try(
        string name,
        EtlTaskConfiguration task,
        TransformScript script,
        ReplayJob job,
        CancellationToken cancellationToken
    )
    {
        var collector = new MessageCollector(task, _feed.DatabaseId, name, () => _feed.Lineages);
        var run = new TransformRun(task, script, collector);
        var messages = new SortedDictionary<string, long>(StringComparer.Ordinal);
        var errors = new Dictionary<string, string>(StringComparer.Ordinal);
        var sample = new List<string>();
        (long documents, long failed) = (0, 0);
        var batch = new MessageBuffer();
        var changes = new List<FeedChange>();
        for (var at = job.After; at < job.Through; )
        {
            using var snapshot = _feed.OpenSnapshot("replay --dry-run");
            run.Context.Documents = snapshot;
            changes.Clear();
            batch.Reset();
            at = ReplayReader.Read(snapshot, job, at, task.ToFilter(), BatchChanges, BatchBytes, changes);
            foreach (var change in changes)
            {
                cancellationToken.ThrowIfCancellationRequested();
                documents++;
                if (run.Run(change, batch, cancellationToken) is not { } error)
                    continue;
                failed++;
                if (errors.Count < MaxErrors)
                    errors[change.Document.Id] = error.Message;
            }

            foreach (var message in batch.Messages)
            {
                messages[message.Destination] = messages.GetValueOrDefault(message.Destination) + 1;
                if (sample.Count < SampleMessages)
                {
                    sample.Add(
                        $"{message.Destination} {message.Key ?? "-"} {message.Subject}: {Encoding.UTF8.GetString(message.Body.Span)}"
                    );
                }
            }
        }

        return new ReplayTrial(job.After, job.Through, documents, messages, failed, errors, sample);
    }

    private async Task<ReplayJob> ResolveAsync(ReplayRequest request, CancellationToken cancellationToken)
    {
        var given = (request.From is null ? 0 : 1) + (request.Since is null ? 0 : 1) + (request.Query is null ? 0 : 1);
        if (given != 1)
        {
            throw new ReplayException(
                "choose what to send again: from a position, since a time, or the documents of a query"
            );
        }

        if (request.From is { } from)
        {
            if (from < 0 || from > database.LastPosition)
            {
                throw new ReplayException(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"position {from} is not one of the database's, which end at {database.LastPosition}"
                    )
                );
            }

            return new ReplayJob(Math.Max(0, from - 1), database.LastPosition, null);
        }

        if (request.Since is { } since)
            return await Task.Run(() => Since(since, cancellationToken), cancellationToken).ConfigureAwait(false);
        var result = await database
            .QueryAsync(
                new QueryRequest(request.Query!) { Wait = new IndexWait(TimeSpan.FromSeconds(15)) },
                cancellationToken
            )
            .ConfigureAwait(false);
        if (result.Items.Any(i => i.Document is null))
            throw new ReplayException("the query returns values, not documents: leave out 'select' and 'group by'");
        if (result.Items.Count > ReplayJob.MaxChosen)
        {
            throw new ReplayException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"the query returns {result.Items.Count} documents, but a replay takes at most {ReplayJob.MaxChosen} (MaxChosen): narrow it, or replay from a position"
                )
            );
        }

        long[] positions = [.. result.Items.Select(i => i.Document!.Position).Order()];
        return positions.Length == 0
            ? new ReplayJob(0, 0, [])
            : new ReplayJob(positions[0] - 1, positions[^1], positions);
    }

    /// <summary>
    /// Replays from the first change that is not older. Reads all changes, since later changes have earlier times if
    /// the clock was set back.
    /// </summary>
    private ReplayJob Since(DateTimeOffset since, CancellationToken cancellationToken)
    {
        using var snapshot = database.OpenSnapshot("replay --since");
        var after = snapshot.LastPosition;
        foreach (var document in snapshot.GetNewestFirst())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (document.LastModified >= since)
                after = document.Position - 1;
        }

        return new ReplayJob(after, snapshot.LastPosition, null);
    }
}
