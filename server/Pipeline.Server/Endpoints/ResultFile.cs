using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Pipeline.Database.Queries;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Operations;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// The results of a query as a file that a browser saves: <c>streams/queries</c> with <c>file</c>. The end of the name
/// says the form: <c>.csv</c>, <c>.json</c> (a list) or <c>.jsonl</c> (a document a line).
/// </summary>
internal static class ResultFile
{
    /// <summary>Bytes that are collected before they are sent.</summary>
    private const int SendBytes = 64 << 10;

    /// <summary>Columns of a table, at most.</summary>
    private const int MaxColumns = 1_000;

    /// <summary>Adds the endpoints that tell how far a file is, and cancel it.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/streams/downloads", DatabaseAccess.Read, StateAsync);
        routes.Add(
            "DELETE",
            "/streams/downloads",
            DatabaseAccess.Read,
            request =>
            {
                request.Served.Downloads.Get(request.Required("download"))?.Stop();
                return request.AnswerAsync(StatusCodes.Status204NoContent);
            }
        );
    }

    /// <summary>Sends the results.</summary>
    /// <param name="request">The request to answer.</param>
    /// <param name="file">The name of the file.</param>
    /// <param name="total">The number of results.</param>
    /// <param name="items">The results.</param>
    /// <exception cref="BadRequestException">The name has another ending, or there are too many columns.</exception>
    public static async Task SendAsync(
        DatabaseRequest request,
        string file,
        long total,
        IAsyncEnumerable<QueryItem> items
    )
    {
        var columns = request.Texts("columns");
        if (columns.Count > MaxColumns)
            throw new BadRequestException($"there are {columns.Count} 'columns'; at most {MaxColumns} are possible");
        SetHead(request, file);
        var form = Path.GetExtension(file).ToUpperInvariant();
        var table = form == ".CSV" ? new CsvText(columns) : null;
        await request
            .Served.Downloads.RunAsync(
                request.Text("download"),
                total,
                async (download, ct) =>
                {
                    var text = new HeldBuffer(request.Memory);
                    table?.WriteHead(text);
                    if (form == ".JSON")
                        text.Write("["u8);
                    await foreach (var item in items.WithCancellation(ct).ConfigureAwait(false))
                    {
                        if (form == ".JSON")
                            text.Write(download.Written == 0 ? "\n"u8 : ",\n"u8);
                        if (table is not null)
                            table.WriteLine(text, item);
                        else
                            QueryAnswer.Write(text, item);
                        if (form == ".JSONL")
                            text.Write("\n"u8);
                        download.Written++;
                        if (text.WrittenCount > SendBytes)
                            await FlushAsync(text, ct).ConfigureAwait(false);
                    }

                    if (form == ".JSON")
                        text.Write("\n]\n"u8);
                    await FlushAsync(text, ct).ConfigureAwait(false);
                },
                request.Aborted
            )
            .ConfigureAwait(false);

        async Task FlushAsync(HeldBuffer text, CancellationToken ct)
        {
            await request.Context.Response.Body.WriteAsync(text.WrittenMemory, ct).ConfigureAwait(false);
            text.ResetWrittenCount();
        }
    }

    /// <summary>Sets the header that makes a browser save the answer.</summary>
    public static void SetName(HttpContext context, string file)
    {
        var disposition = new ContentDispositionHeaderValue("attachment");
        disposition.SetHttpFileName(file);
        context.Response.Headers.ContentDisposition = disposition.ToString();
        context.Response.Headers.CacheControl = "no-store";
    }

    private static void SetHead(DatabaseRequest request, string file)
    {
        var type = Path.GetExtension(file).ToUpperInvariant() switch
        {
            ".CSV" => "text/csv; charset=utf-8",
            ".JSON" => JsonAnswer.ContentType,
            ".JSONL" => "application/x-ndjson; charset=utf-8",
            _ => throw new BadRequestException($"the file '{file}' must end with .csv, .json or .jsonl"),
        };
        SetName(request.Context, file);
        request.Context.Response.ContentType = type;
    }

    private static Task StateAsync(DatabaseRequest request)
    {
        var state = DownloadState.Of(request.Served.Downloads.Get(request.Required("download")));
        request.Context.Response.Headers.CacheControl = "no-store";
        return request.AnswerAsync(StatusCodes.Status200OK, answer => JsonSerializer.Serialize(answer.Json, state));
    }
}
