using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Pipeline.Hosting;

/// <summary>
/// <c>GET /etl/tasks</c>: the state of all tasks. <c>GET /etl/plan?sample=&amp;keep=</c>: what the worker's
/// configuration file would change if applied now.
/// <c>POST /etl/apply?keep=</c>: applies it. The file is the worker's own: HTTP cannot send a configuration.
/// </summary>
internal static class TaskEndpoint
{
    private const int DefaultSample = 20;
    private const int MaxSample = 1000;

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker)
    {
        application.MapGet("/etl/tasks", context => AdminAnswer.WriteAsync(context, worker.GetTaskViews()));
        application.MapGet(
            "/etl/plan",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct => await worker.PlanAsync(Sample(context), Keeps(context), ct).ConfigureAwait(false)
                )
        );
        application.MapPost(
            "/etl/apply",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct => await worker.ApplyAsync(Keeps(context), ct).ConfigureAwait(false)
                )
        );
    }

    private static int Sample(HttpContext context) =>
        int.TryParse(context.Request.Query["sample"], NumberStyles.None, CultureInfo.InvariantCulture, out var sample)
            ? Math.Min(sample, MaxSample)
            : DefaultSample;

    private static string[] Keeps(HttpContext context) => [.. context.Request.Query["keep"].OfType<string>()];
}
