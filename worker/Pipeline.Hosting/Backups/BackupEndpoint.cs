using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;

namespace Pipeline.Hosting.Backups;

/// <summary>
/// <c>/backups</c>: the state of each; POSTs to <c>/backups/NAME/run?kind=full|incremental</c>, <c>…/drill</c> and
/// <c>…/cancel</c>.
/// </summary>
internal static class BackupEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, BackupService backups)
    {
        application.MapGet(
            "/backups",
            context =>
                AdminAnswer.WriteAsync(
                    context,
                    new { Status = backups.GetStatus(), History = backups.GetHistory().TakeLast(50) }
                )
        );
        application.MapPost(
            "/backups/{name}/run",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        BackupKind? kind = context.Request.Query["kind"].ToString() switch
                        {
                            "full" => BackupKind.Full,
                            "incremental" => BackupKind.Incremental,
                            _ => null,
                        };
                        var report = await backups.RunAsync(Name(context), kind, null, ct).ConfigureAwait(false);
                        return report.Destinations.Select(BackupRunView.Of).ToList();
                    }
                )
        );
        application.MapPost(
            "/backups/{name}/drill",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct => await backups.DrillAsync(Name(context), null, ct).ConfigureAwait(false)
                )
        );
        application.MapPost(
            "/backups/{name}/cancel",
            context => AdminAnswer.WriteAsync(context, new { Cancelled = backups.Cancel(Name(context)) })
        );
    }

    private static string Name(HttpContext context) => (string)context.Request.RouteValues["name"]!;
}
