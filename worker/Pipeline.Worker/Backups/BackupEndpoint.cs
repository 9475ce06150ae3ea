using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Storage;

namespace Pipeline.Worker.Backups;

/// <summary><c>/backups</c>: the state of each; POSTs to <c>/backups/NAME/run?kind=full|incremental</c>, <c>…/drill</c> and <c>…/cancel</c>.</summary>
internal static class BackupEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, BackupService backups, Func<HttpContext, int, object, Task> writeJson)
    {
        application.MapGet("/backups", context => writeJson(context, StatusCodes.Status200OK, new { Status = backups.GetStatus(), History = backups.GetHistory().TakeLast(50) }));
        application.MapPost("/backups/{name}/run", context => DoAsync(context, writeJson, async (name, ct) =>
        {
            BackupKind? kind = context.Request.Query["kind"].ToString() switch { "full" => BackupKind.Full, "incremental" => BackupKind.Incremental, _ => null };
            var report = await backups.RunAsync(name, kind, null, ct).ConfigureAwait(false);
            return report.Destinations.Select(BackupRunView.Of).ToList();
        }));
        application.MapPost("/backups/{name}/drill", context => DoAsync(context, writeJson, async (name, ct) => await backups.DrillAsync(name, null, ct).ConfigureAwait(false)));
        application.MapPost("/backups/{name}/cancel", async context =>
        {
            var stopped = backups.Cancel((string)context.Request.RouteValues["name"]!);
            await writeJson(context, StatusCodes.Status200OK, new { Cancelled = stopped }).ConfigureAwait(false);
        });
    }

    /// <summary>Does something to the backup of a name.</summary>
    private delegate Task<object> Work(string name, CancellationToken ct);

    private static async Task DoAsync(HttpContext context, Func<HttpContext, int, object, Task> writeJson, Work work)
    {
        try
        {
            await writeJson(context, StatusCodes.Status200OK, await work((string)context.Request.RouteValues["name"]!, context.RequestAborted).ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
        catch (Exception e) when (e is BackupException or StorageException or OperationCanceledException or ObjectDisposedException)
        {
            await writeJson(context, StatusCodes.Status503ServiceUnavailable, new { error = e is OperationCanceledException ? "it was stopped" : e.Message }).ConfigureAwait(false);
        }
    }
}
