using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Resuming;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Hosting;

/// <summary><c>POST /etl/resume</c> with <c>{ task, from }</c>: a person's decision about a blocked task.</summary>
internal static class ResumeEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker) =>
        application.MapPost(
            "/etl/resume",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var body = await JsonSerializer
                            .DeserializeAsync<ResumeBody>(context.Request.Body, JsonForms.Line, ct)
                            .ConfigureAwait(false);
                        return await AnswerAsync(body, worker.Database, worker.Configuration, worker.WakeTask, ct)
                            .ConfigureAwait(false);
                    },
                    StatusCodes.Status400BadRequest
                )
        );

    /// <summary>Stores the decision.</summary>
    /// <exception cref="WorkerException">
    /// There is no such task, it is not blocked, or the position is invalid.
    /// </exception>
    public static async Task<ResumedTask> AnswerAsync(
        ResumeBody? body,
        DocumentDatabase database,
        PipelineConfiguration configuration,
        Action<string>? wake,
        CancellationToken cancellationToken
    )
    {
        if (body?.Task is null || body.From is null)
        {
            throw new WorkerException(
                "the body must name the task and the place to continue from: { \"task\": \"…\", \"from\": \"position\" }",
                ExitCodes.Usage
            );
        }

        var task = TaskSearch.Find(configuration, body.Task);
        try
        {
            var resumed = await new ResumeService(database)
                .ResumeAsync(task, body.From, cancellationToken)
                .ConfigureAwait(false);
            wake?.Invoke(task.Name);
            return resumed;
        }
        catch (ResumeException e)
        {
            throw new WorkerException(e.Message, ExitCodes.Failed, e);
        }
    }
}
