using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;

namespace Pipeline.Hosting.Revisions;

/// <summary><c>/revisions?id=ID[&amp;start=N][&amp;count=N]</c>: the versions of a document, newest first.</summary>
internal static class RevisionEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database) =>
        application.MapGet(
            "/revisions",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    () =>
                    {
                        var id = AdminAnswer.Required(context, "id", "orders/1-A");
                        var start = Number(context, "start", 0, 0, long.MaxValue);
                        var count = Number(context, "count", RevisionPage.DefaultCount, 1, RevisionPage.MaxCount);
                        return RevisionPage.Read(database, id, start, (int)count);
                    }
                )
        );

    private static long Number(HttpContext context, string name, long otherwise, long least, long most)
    {
        var text = context.Request.Query[name].ToString();
        if (text.Length == 0)
            return otherwise;
        return
            long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            && value >= least
            && value <= most
            ? value
            : throw new WorkerException(
                $"{name} is not a number from {least}{(most == long.MaxValue ? "" : " to " + most.ToString(CultureInfo.InvariantCulture))}",
                ExitCodes.Usage
            );
    }
}
