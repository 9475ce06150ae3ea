using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Pipeline.Database;
using Pipeline.Database.Transfer;
using Pipeline.Documents.Transfer;
using Pipeline.Hosting;

namespace Pipeline.Hosting.Transfer;

/// <summary>
/// <c>GET /export[?collection=]</c>: the documents as JSON lines. <c>POST /import?name=FILE[&amp;check=true]</c>: stores
/// the lines, or the dump of RavenDB, of the body; with <c>check</c> it reports faults and stores nothing.
/// </summary>
internal static class TransferEndpoint
{
    /// <summary>The answer's header with the number of documents, which come first.</summary>
    public const string DocumentsHeader = "Pipeline-Documents";

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database)
    {
        application.MapGet("/export", context => ExportAsync(context, database));
        application.MapPost(
            "/import",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct => await ImportAsync(context, database, ct).ConfigureAwait(false),
                    StatusCodes.Status400BadRequest
                )
        );
    }

    private static async Task ExportAsync(HttpContext context, DocumentDatabase database)
    {
        var collection = context.Request.Query["collection"].ToString() is { Length: > 0 } named ? named : null;
        using var snapshot = database.OpenSnapshot("export");
        var statistics = snapshot.GetStatistics();
        var count = statistics.Documents;
        if (collection is not null)
        {
            var known = statistics
                .Collections.Where(c => string.Equals(c.Name, collection, StringComparison.OrdinalIgnoreCase))
                .ToList();
            if (known.Count == 0)
            {
                await AdminAnswer
                    .WriteAsync(
                        context,
                        new
                        {
                            error = $"there is no collection '{collection}' in '{database.Name}'; /stats lists them",
                        },
                        StatusCodes.Status404NotFound
                    )
                    .ConfigureAwait(false);
                return;
            }

            count = known.Sum(c => c.Documents);
        }

        context.Response.ContentType = "application/x-ndjson; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers[DocumentsHeader] = count.ToString(CultureInfo.InvariantCulture);
        try
        {
            await JsonLinesExport
                .ExportAsync(snapshot, context.Response.Body, collection, ct: context.RequestAborted)
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client no longer waits.
        }
        catch when (context.Response.HasStarted)
        {
            // Otherwise the client would take the part for the whole.
            context.Abort();
            throw;
        }
    }

    private static async Task<object> ImportAsync(
        HttpContext context,
        DocumentDatabase database,
        CancellationToken cancellationToken
    )
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
            size.MaxRequestBodySize = null;
        if (context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var name = AdminAnswer.Required(context, "name", "orders.jsonl");
        var checks = context.Request.Query["check"] == "true";
        var body = context.Request.Body;
        try
        {
            if (!RavenDumpImport.IsDump(name))
            {
                return ImportedFile.Of(
                    name,
                    await JsonLinesImport
                        .ImportAsync(database, body, name, stores: !checks, cancellationToken)
                        .ConfigureAwait(false)
                );
            }

            return checks
                ? throw new WorkerException($"{name} is a dump, which can be imported only", ExitCodes.Usage)
                : ImportedFile.Of(
                    name,
                    await RavenDumpImport.ImportAsync(database, body, name, cancellationToken).ConfigureAwait(false)
                );
        }
        catch (Exception e) when (e is IOException or ImportException)
        {
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
        }
    }
}
