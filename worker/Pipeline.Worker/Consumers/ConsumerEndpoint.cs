using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.Consumers;

/// <summary><c>/consumers</c>: GET lists who follows the change feed, DELETE with <c>?name=</c> forgets one, with <c>&amp;forget=true</c> its position too.</summary>
internal static class ConsumerEndpoint
{
    /// <summary>Adds them.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker, Func<HttpContext, int, object, Task> writeJson)
    {
        const string path = "/consumers";
        application.MapGet(path, context => writeJson(context, StatusCodes.Status200OK, worker.Database.Consumers.GetStatus()));
        application.MapDelete(path, async context =>
        {
            try
            {
                var forgets = context.Request.Query["forget"] == "true";
                var removal = await ConsumerDesk.RemoveAsync(worker.Database, worker.Configuration, context.Request.Query["name"].ToString(), forgets, context.RequestAborted).ConfigureAwait(false);
                await writeJson(context, StatusCodes.Status200OK, removal).ConfigureAwait(false);
            }
            catch (WorkerException e)
            {
                await writeJson(context, StatusCodes.Status409Conflict, new { error = e.Message }).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // Nobody waits for the answer.
            }
        });
    }
}
