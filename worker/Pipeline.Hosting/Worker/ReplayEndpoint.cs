using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Replays;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Hosting;

/// <summary><c>POST /etl/replay</c> with <c>{ task, from | since | query, dryRun, cancel }</c>.</summary>
internal static class ReplayEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker) =>
        application.MapPost(
            "/etl/replay",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var body = await JsonSerializer
                            .DeserializeAsync<ReplayBody>(context.Request.Body, JsonForms.Line, ct)
                            .ConfigureAwait(false);
                        if (body?.Task is null)
                        {
                            throw new WorkerException(
                                "the body names no task: { \"task\": \"…\", \"from\": 1 }",
                                ExitCodes.Usage
                            );
                        }

                        return await AnswerAsync(body, worker.Database, worker.Configuration, worker.WakeTask, ct)
                            .ConfigureAwait(false);
                    },
                    StatusCodes.Status400BadRequest
                )
        );

    /// <summary>Executes a request.</summary>
    /// <exception cref="WorkerException">There is no such task, or the replay cannot start.</exception>
    public static async Task<ReplayAnswer> AnswerAsync(
        ReplayBody body,
        DocumentDatabase database,
        PipelineConfiguration configuration,
        Action<string>? wake,
        CancellationToken cancellationToken
    )
    {
        var task = TaskSearch.Find(configuration, body.Task);
        var desk = new ReplayService(database);
        try
        {
            if (body.DryRun)
            {
                return new ReplayAnswer(
                    null,
                    await desk.TryAsync(database.Name, task, body.ToRequest(), cancellationToken).ConfigureAwait(false),
                    null
                );
            }

            var answer = body.Cancel
                ? new ReplayAnswer(
                    null,
                    null,
                    await desk.CancelAsync(task.Name, cancellationToken).ConfigureAwait(false)
                )
                : new ReplayAnswer(
                    await desk.StartAsync(task.Name, body.ToRequest(), cancellationToken).ConfigureAwait(false),
                    null,
                    null
                );
            wake?.Invoke(task.Name);
            return answer;
        }
        catch (ReplayException e)
        {
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
        }
    }
}
