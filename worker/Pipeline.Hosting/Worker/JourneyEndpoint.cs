using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Configuration.Testing;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting.Tasks;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>
/// <c>GET /journey?id=&amp;count=</c>: the versions of a document, what each task did with each of them, its dead
/// letters, and the indexes that have it.
/// </summary>
internal static class JourneyEndpoint
{
    private const int DefaultCount = 25;
    private const int MaxCount = 200;

    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker)
    {
        var feed = new DatabaseChangeFeed(worker.Database);
        application.MapGet(
            "/journey",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                        await ReadAsync(
                                worker,
                                feed,
                                AdminAnswer.Required(context, "id", "orders/1-A"),
                                Count(context),
                                ct
                            )
                            .ConfigureAwait(false)
                )
        );
    }

    private static int Count(HttpContext context) =>
        int.TryParse(context.Request.Query["count"], NumberStyles.None, CultureInfo.InvariantCulture, out var count)
            ? Math.Clamp(count, 1, MaxCount)
            : DefaultCount;

    private static async Task<JourneyView> ReadAsync(
        PipelineWorker worker,
        DatabaseChangeFeed feed,
        string id,
        int count,
        CancellationToken cancellationToken
    )
    {
        List<Document> versions;
        Document? current;
        long total,
            last;
        using (var snapshot = worker.Database.OpenSnapshot("journey"))
        {
            current = snapshot.TryGet(id, out var stored) ? stored : null;
            versions = [.. snapshot.GetRevisions(id, 0, count)];
            total = snapshot.CountRevisions(id);
            last = snapshot.LastPosition;
        }

        if (current is not null && versions.All(v => v.Position != current.Position))
        {
            versions.Insert(0, current);
            total++;
        }

        if (versions.Count == 0)
            throw new WorkerException($"there is no document '{id}' and no version of one", ExitCodes.Usage);
        var name = versions[0].Id;
        var letters = await FindLettersAsync(worker, name, cancellationToken).ConfigureAwait(false);
        var views = worker.GetTaskViews().ToDictionary(t => t.Name, StringComparer.Ordinal);
        // Each transform is compiled once for all versions.
        var configuration = worker.Configuration;
        List<(EtlTaskConfiguration Task, TransformBench? Bench)> tasks =
        [
            .. configuration.Etl.Select(t =>
                (t, t.Disabled ? null : new TransformBench(feed, t, configuration.Connections[t.To]))
            ),
        ];
        var indexes = new List<JourneyIndex>();
        if (current is not null)
        {
            foreach (var index in worker.Database.Indexes.List().Where(i => Takes(worker, i, current.Collection)))
                indexes.Add(await DescribeAsync(worker, index, current, cancellationToken).ConfigureAwait(false));
        }

        return new JourneyView(
            name,
            versions[0].Collection,
            last,
            total,
            [
                .. versions.Select(v => new JourneyVersion(
                    v.Position,
                    v.ChangeVector,
                    v.LastModified,
                    v.IsDeleted,
                    v.Position == current?.Position,
                    v.IsDeleted ? null : JsonElement.Parse(v.ToString()),
                    TasksOf(
                        tasks,
                        feed.DatabaseId,
                        v,
                        v.Position == current?.Position,
                        views,
                        letters,
                        cancellationToken
                    )
                )),
            ],
            indexes,
            letters
        );
    }

    private static async Task<IReadOnlyList<DeadLetterView>> FindLettersAsync(
        PipelineWorker worker,
        string id,
        CancellationToken cancellationToken
    )
    {
        var all = await new DeadLetterService(worker.Database)
            .FindAsync(new DeadLetterSelection { All = true }, cancellationToken)
            .ConfigureAwait(false);
        return [.. all.Where(l => l.DocumentId.Equals(id, StringComparison.OrdinalIgnoreCase))];
    }

    private static List<JourneyTask> TasksOf(
        List<(EtlTaskConfiguration Task, TransformBench? Bench)> tasks,
        string databaseId,
        Document version,
        bool isCurrent,
        Dictionary<string, TaskView> views,
        IReadOnlyList<DeadLetterView> letters,
        CancellationToken cancellationToken
    )
    {
        var done = new List<JourneyTask>();
        var document = new ScriptDocument(version.Id, version.Body)
        {
            Collection = version.Collection,
            Version = (version.Position, databaseId),
            LastModified = version.LastModified,
            IsDeleted = version.IsDeleted,
        };
        foreach (var (task, bench) in tasks)
        {
            var filter = task.ToFilter();
            if (!filter.Takes(version.Collection) || (version.IsDeleted && !filter.Deletes))
                continue;
            string[] own =
            [
                .. letters.Where(l => l.Task == task.Name && l.Position == version.Position).Select(l => l.Id),
            ];
            var outcome = bench?.Try(null, document, cancellationToken);
            done.Add(
                new JourneyTask(
                    task.Name,
                    task.To,
                    StatusOf(
                        task,
                        views.GetValueOrDefault(task.Name),
                        version.Position,
                        isCurrent,
                        own.Length,
                        outcome
                    ),
                    own,
                    outcome
                )
            );
        }

        return done;
    }

    private static string StatusOf(
        EtlTaskConfiguration task,
        TaskView? view,
        long position,
        bool isCurrent,
        int letters,
        BenchOutcome? outcome
    ) =>
        letters > 0 ? "deadLetter"
        : task.Disabled ? "disabled"
        : view is null || view.Position < position ? "waiting"
        : outcome is { Error: null, Messages.Count: 0 } ? "nothing"
        : isCurrent ? "sent"
        : "passed";

    private static bool Takes(PipelineWorker worker, IndexInfo index, string collection)
    {
        var collections = worker.Database.Indexes.GetCollections(index.Name);
        return collections.Count == 0 || collections.Contains(collection, StringComparer.OrdinalIgnoreCase);
    }

    private static async Task<JourneyIndex> DescribeAsync(
        PipelineWorker worker,
        IndexInfo index,
        Document current,
        CancellationToken cancellationToken
    )
    {
        var isReduced = !string.IsNullOrEmpty(index.Definition.Reduce);
        var error = worker
            .Database.Indexes.GetErrors(index.Name)
            .LastOrDefault(e => e.DocumentId == current.Id && e.Position == current.Position);
        var status =
            error is not null || index.State == IndexState.Error ? "error"
            : index.Position < current.Position ? "behind"
            : isReduced || await HasEntryAsync(worker, index.Name, current.Id, cancellationToken).ConfigureAwait(false)
                ? "indexed"
            : "none";
        return new JourneyIndex(index.Name, status, index.Position, isReduced, error?.Message ?? index.Failure);
    }

    private static async Task<bool> HasEntryAsync(
        PipelineWorker worker,
        string index,
        string id,
        CancellationToken cancellationToken
    )
    {
        var query = new QueryRequest($"from index '{Escape(index)}' where id() = '{Escape(id)}'")
        {
            Wait = IndexWait.None,
            Take = 1,
        };
        var result = await worker.Database.QueryAsync(query, cancellationToken).ConfigureAwait(false);
        return result.Items.Count > 0;
    }

    private static string Escape(string text) =>
        text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal);
}
