using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database.Indexes;
using Pipeline.Etl.Configuration;
using Pipeline.Subscriptions;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.Tasks;

/// <summary>
/// <c>GET /etl/tasks</c>: every task now. <c>GET /etl/plan?sample=&amp;keep=</c>: what the worker's configuration file as it is now would change. <c>POST
/// /etl/apply?keep=</c>: changes it. The file is the worker's own: no configuration comes over HTTP.
/// </summary>
internal static class TaskEndpoint
{
    private const int DefaultSample = 20;
    private const int MaxSample = 1000;

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker, Func<HttpContext, int, object, Task> writeJson)
    {
        application.MapGet("/etl/tasks", context => writeJson(context, StatusCodes.Status200OK, worker.GetTaskViews()));
        application.MapGet("/etl/plan", context => GuardAsync(context, writeJson, async () => await worker.PlanAsync(Sample(context), Keeps(context), context.RequestAborted).ConfigureAwait(false)));
        application.MapPost("/etl/apply", context => GuardAsync(context, writeJson, async () => await worker.ApplyAsync(Keeps(context), context.RequestAborted).ConfigureAwait(false)));
    }

    private static int Sample(HttpContext context) =>
        int.TryParse(context.Request.Query["sample"], NumberStyles.None, CultureInfo.InvariantCulture, out var sample) ? Math.Min(sample, MaxSample) : DefaultSample;

    private static string[] Keeps(HttpContext context) => [.. context.Request.Query["keep"].OfType<string>()];

    private static async Task GuardAsync(HttpContext context, Func<HttpContext, int, object, Task> writeJson, Func<Task<object>> act)
    {
        try
        {
            await writeJson(context, StatusCodes.Status200OK, await act().ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (ConfigurationException e)
        {
            await writeJson(context, StatusCodes.Status422UnprocessableEntity, new { error = "the configuration has faults; nothing was changed", faults = e.Diagnostics.Select(d => d.ToString()) }).ConfigureAwait(false);
        }
        catch (Exception e) when (e is WorkerException or InvalidIndexException or SubscriptionException)
        {
            await writeJson(context, StatusCodes.Status409Conflict, new { error = e.Message }).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
    }
}
