using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;

namespace Pipeline.Worker.Revisions;

/// <summary><c>/revisions?id=ID[&amp;start=N][&amp;count=N]</c>: the versions of a document, the newest first.</summary>
internal static class RevisionEndpoint
{
    /// <summary>Adds it.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database, Func<HttpContext, int, object, Task> writeJson) =>
        application.MapGet("/revisions", context =>
        {
            var id = context.Request.Query["id"].ToString();
            if (id.Length == 0)
                return writeJson(context, StatusCodes.Status400BadRequest, new { error = "id is missing: ?id=orders/1-A" });
            if (!TryRead(context, "start", 0, out var start) || start < 0)
                return writeJson(context, StatusCodes.Status400BadRequest, new { error = "start is no number from 0" });
            if (!TryRead(context, "count", RevisionPage.DefaultCount, out var count) || count is < 1 or > RevisionPage.MaxCount)
                return writeJson(context, StatusCodes.Status400BadRequest, new { error = $"count is no number from 1 to {RevisionPage.MaxCount}" });
            try
            {
                return writeJson(context, StatusCodes.Status200OK, RevisionPage.Read(database, id, start, (int)count));
            }
            catch (InvalidDocumentIdException e)
            {
                return writeJson(context, StatusCodes.Status400BadRequest, new { error = e.Message.TrimEnd('.') });
            }
        });

    private static bool TryRead(HttpContext context, string name, long otherwise, out long value)
    {
        var text = context.Request.Query[name].ToString();
        value = otherwise;
        return text.Length == 0 || long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
    }
}
