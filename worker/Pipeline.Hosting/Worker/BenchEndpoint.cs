using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Configuration.Testing;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting.Tasks;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>
/// Tries scripts on real documents. <c>GET /etl/transform?task=</c>: a task's transform. <c>POST /etl/bench</c> with
/// <c>{ task, script, ids, sample }</c>: a script's messages beside those of the task's own. <c>POST /etl/bench/case</c> with
/// <c>{ task, script, ids: [id] }</c>: a test case as YAML. <c>POST /etl/bench/cases</c> with
/// <c>{ task, script, sample }</c>: test cases of the last documents. <c>POST /etl/bench/yaml</c> with <c>{ task, script }</c>:
/// the task's <c>transform</c> as YAML. <c>POST /deadletters/try?id=</c> with a document, or nothing: what a retry of
/// the letter would give.
/// </summary>
/// <remarks>Nothing is sent or stored, and the configuration file does not change.</remarks>
internal static class BenchEndpoint
{
    private const int DefaultSample = 20;
    private const int MaxSample = 1000;

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker)
    {
        var feed = new DatabaseChangeFeed(worker.Database);
        application.MapGet(
            "/etl/transform",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    () =>
                    {
                        var task = Find(worker, AdminAnswer.Required(context, "task", "NAME"));
                        return TransformView.Of(task, worker.Configuration.Connections[task.To]);
                    }
                )
        );
        Post(
            application,
            "/etl/bench",
            (body, ct) =>
                BenchOf(worker, feed, body.Task)
                    .Try(body.Script, body.Ids ?? [], Math.Clamp(body.Sample ?? DefaultSample, 0, MaxSample), ct)
        );
        Post(
            application,
            "/etl/bench/case",
            (body, ct) =>
                body.Ids is [var id]
                    ? new { yaml = BenchOf(worker, feed, body.Task).WriteCase(body.Script, id, ct) }
                    : throw new WorkerException("ids must name one document: \"ids\": [\"…\"]", ExitCodes.Usage)
        );
        Post(
            application,
            "/etl/bench/cases",
            (body, ct) =>
                new
                {
                    cases = BenchOf(worker, feed, body.Task)
                        .WriteCases(body.Script, Math.Clamp(body.Sample ?? DefaultSample, 1, MaxSample), ct)
                        .Select(c => new { name = c.Name, yaml = c.Yaml }),
                }
        );
        Post(
            application,
            "/etl/bench/yaml",
            (body, _) => new { yaml = TransformBench.WriteYaml(body.Script ?? Find(worker, body.Task).Transform.Text) }
        );
        application.MapPost(
            "/deadletters/try",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        using var input = new MemoryStream();
                        await context.Request.Body.CopyToAsync(input, ct).ConfigureAwait(false);
                        var id = AdminAnswer.Required(context, "id", "deadletters/TASK/POSITION");
                        return await Task.Run(() => TryLetter(worker, feed, id, input.ToArray(), ct), ct)
                            .ConfigureAwait(false);
                    }
                )
        );
    }

    private static void Post(
        IEndpointRouteBuilder application,
        string path,
        Func<BenchBody, CancellationToken, object> answer
    ) =>
        application.MapPost(
            path,
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var body = await JsonSerializer
                            .DeserializeAsync<BenchBody>(context.Request.Body, JsonForms.Line, ct)
                            .ConfigureAwait(false);
                        return await Task.Run(() => answer(body ?? new BenchBody(null, null, null, null), ct), ct)
                            .ConfigureAwait(false);
                    },
                    StatusCodes.Status400BadRequest
                )
        );

    private static BenchOutcome TryLetter(
        PipelineWorker worker,
        DatabaseChangeFeed feed,
        string id,
        ReadOnlyMemory<byte> input,
        CancellationToken cancellationToken
    )
    {
        var document = new DeadLetterService(worker.Database).Get(id);
        var letter = ParkedLetter.Read(document.Id, document.Body, withContent: true);
        if (letter.Task is null)
            throw new DeadLetterException($"'{document.Id}' belongs to a subscription, which has no transform");
        var tried = input.IsEmpty ? letter : letter with { Document = input };
        return BenchOf(worker, feed, letter.Task)
            .Try(null, tried.ToDocument(feed.DatabaseId, document.LastModified), cancellationToken);
    }

    private static TransformBench BenchOf(PipelineWorker worker, DatabaseChangeFeed feed, string? name)
    {
        var task = Find(worker, name);
        return new TransformBench(feed, task, worker.Configuration.Connections[task.To]);
    }

    private static EtlTaskConfiguration Find(PipelineWorker worker, string? name) =>
        name is null
            ? throw new WorkerException("the body must name a task: \"task\": \"…\"", ExitCodes.Usage)
            : TaskSearch.Find(worker.Configuration, name);
}
