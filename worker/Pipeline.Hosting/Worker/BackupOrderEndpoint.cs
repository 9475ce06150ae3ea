using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Backups.Manifests;
using Pipeline.Hosting.Cluster;

namespace Pipeline.Hosting;

/// <summary>
/// <c>POST /cluster/backup</c>: makes a backup for the leader, and tells it the progress and the result, a line of JSON
/// each.
/// </summary>
internal static class BackupOrderEndpoint
{
    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder routes, PipelineWorker worker) =>
        routes.MapPost(BackupOrder.Route, context => MakeAsync(context, worker));

    private static async Task MakeAsync(HttpContext context, PipelineWorker worker)
    {
        try
        {
            var member = ClusterEndpoint.Member(() => worker.Cluster);
            if (!await ClusterEndpoint.IsNodeAsync(context).ConfigureAwait(false))
                return;
            await member
                .MakeBackupAsync(
                    worker.Backups,
                    OrderOf(context),
                    (line, ct) => TellAsync(context, line, ct),
                    context.RequestAborted
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is ClusterException or WorkerException && !context.Response.HasStarted)
        {
            await AdminAnswer
                .WriteAsync(
                    context,
                    new { error = e.Message },
                    e is WorkerException ? StatusCodes.Status400BadRequest : StatusCodes.Status409Conflict
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The leader no longer waits, or this worker stops: the leader sees that the answer has no end.
            context.Abort();
        }
    }

    private static async Task TellAsync(HttpContext context, BackupOrderLine line, CancellationToken ct)
    {
        if (!context.Response.HasStarted)
        {
            context.Response.ContentType = "application/x-ndjson";
            context.Response.Headers.CacheControl = "no-store";
        }
        await context.Response.Body.WriteAsync(line.ToBytes(), ct).ConfigureAwait(false);
        await context.Response.Body.FlushAsync(ct).ConfigureAwait(false);
    }

    private static BackupOrder OrderOf(HttpContext context)
    {
        var query = context.Request.Query;
        return new BackupOrder(
            AdminAnswer.Required(context, "node", "n2"),
            AdminAnswer.Required(context, "leader", "n1"),
            AdminAnswer.Required(context, "name", "nightly"),
            Enum.TryParse<BackupKind>(query["kind"], out var kind) ? kind : null,
            query["run"].ToString() is { Length: > 0 } run ? run : null,
            ClusterEndpoint.Number(context, "after")
        );
    }
}
