using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Pipeline.Hosting.Consumers;

namespace Pipeline.Hosting;

/// <summary>
/// <c>/consumers</c>: GET lists the consumers of the change feed; DELETE with <c>?name=</c> removes one, with
/// <c>&amp;forget=true</c> its position too.
/// </summary>
internal static class ConsumerEndpoint
{
    /// <summary>Adds the endpoints.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker)
    {
        const string path = "/consumers";
        application.MapGet(path, context => AdminAnswer.WriteAsync(context, worker.Database.Consumers.GetStatus()));
        application.MapDelete(
            path,
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                        await ConsumerService
                            .RemoveAsync(
                                worker.Database,
                                worker.Configuration,
                                context.Request.Query["name"].ToString(),
                                context.Request.Query["forget"] == "true",
                                ct
                            )
                            .ConfigureAwait(false)
                )
        );
    }
}
