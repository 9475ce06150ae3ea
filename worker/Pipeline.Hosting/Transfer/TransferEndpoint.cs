using System.Globalization;
using System.IO.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Pipeline.Database;
using Pipeline.Database.Transfer;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.Server.Endpoints;
using Pipeline.Server.Errors;
using Pipeline.Server.Operations;
using Pipeline.Server.Protocol;

namespace Pipeline.Hosting.Transfer;

/// <summary>
/// <c>GET /export[?collection=][&amp;file=NAME]</c>: the documents as JSON lines; with <c>file</c> a browser saves them,
/// packed if the name ends with <c>.gz</c>, and <c>/export/download</c> tells how far it is. <c>POST /import?name=FILE[&amp;check=true]</c>: stores
/// the lines, or the dump of RavenDB, of the body; with <c>check</c> it reports faults and stores nothing.
/// </summary>
internal static class TransferEndpoint
{
    /// <summary>The answer's header with the number of documents, which come first.</summary>
    public const string DocumentsHeader = "Pipeline-Documents";

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database)
    {
        var downloads = new DownloadLog();
        application.MapGet("/export", context => ExportAsync(context, database, downloads));
        application.MapGet(
            "/export/download",
            context => AdminAnswer.WriteAsync(context, DownloadState.Of(downloads.Get(TokenOf(context))))
        );
        application.MapDelete(
            "/export/download",
            context =>
            {
                downloads.Get(TokenOf(context))?.Stop();
                context.Response.StatusCode = StatusCodes.Status204NoContent;
                return Task.CompletedTask;
            }
        );
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

    private static string TokenOf(HttpContext context) => context.Request.Query["download"].ToString();

    private static async Task ExportAsync(HttpContext context, DocumentDatabase database, DownloadLog downloads)
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

        var file = context.Request.Query["file"].ToString();
        var isPacked = file.EndsWith(".gz", StringComparison.OrdinalIgnoreCase);
        context.Response.ContentType = isPacked ? "application/gzip" : "application/x-ndjson; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers[DocumentsHeader] = count.ToString(CultureInfo.InvariantCulture);
        if (file.Length > 0)
            ResultFile.SetName(context, file);
        try
        {
            await downloads
                .RunAsync(
                    TokenOf(context) is { Length: > 0 } token ? token : null,
                    count,
                    (download, ct) => SendAsync(snapshot, context.Response.Body, isPacked, collection, download, ct),
                    context.RequestAborted
                )
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The client no longer waits, or someone cancelled the download: the client must not take the part for
            // the whole.
            context.Abort();
        }
        catch (BadRequestException e) when (!context.Response.HasStarted)
        {
            context.Response.Headers.ContentDisposition = default;
            await AdminAnswer
                .WriteAsync(context, new { error = e.Message }, StatusCodes.Status400BadRequest)
                .ConfigureAwait(false);
        }
        catch when (context.Response.HasStarted)
        {
            // Otherwise the client would take the part for the whole.
            context.Abort();
            throw;
        }
    }

    private static async Task SendAsync(
        DatabaseSnapshot snapshot,
        Stream body,
        bool isPacked,
        string? collection,
        Download download,
        CancellationToken ct
    )
    {
        var progress = new DownloadProgress(download);
        if (isPacked)
        {
            var packed = new GZipStream(body, CompressionLevel.Optimal, leaveOpen: true);
            await using (packed.ConfigureAwait(false))
            {
                download.Written = await JsonLinesExport
                    .ExportAsync(snapshot, packed, collection, progress, ct)
                    .ConfigureAwait(false);
            }
        }
        else
        {
            download.Written = await JsonLinesExport
                .ExportAsync(snapshot, body, collection, progress, ct)
                .ConfigureAwait(false);
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
        catch (Exception e)
        {
            await RequestBody.SkipAsync(context).ConfigureAwait(false);
            if (e is IOException or ImportException)
                throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Failed, e);
            throw;
        }
    }

    /// <summary>Tells a download how far an export is, at once: the calls come from one thread.</summary>
    private sealed class DownloadProgress(Download download) : IProgress<long>
    {
        public void Report(long value) => download.Written = value;
    }
}
