using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Worker.Queries;

/// <summary><c>/indexes</c>: GET lists them, <c>/errors</c> those of one, POST <c>/reset</c> builds one anew, DELETE removes it; which one says <c>name</c>.</summary>
internal static class IndexEndpoint
{
    /// <summary>Adds them.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database, Func<HttpContext, int, object, Task> writeJson)
    {
        const string path = "/indexes";
        application.MapGet(path, context => writeJson(context, StatusCodes.Status200OK, IndexView.Of(database)));
        application.MapGet(path + "/errors", context => ForAsync(context, writeJson, name => writeJson(context, StatusCodes.Status200OK, database.Indexes.GetErrors(name).Select(IndexErrorView.Of))));
        application.MapPost(path + "/reset", context => ForAsync(context, writeJson, name => ResetAsync(context, name)));
        application.MapDelete(path, context => ForAsync(context, writeJson, name => DeleteAsync(context, name)));

        async Task ResetAsync(HttpContext context, string name)
        {
            await database.Indexes.ResetAsync(name, context.RequestAborted).ConfigureAwait(false);
            await writeJson(context, StatusCodes.Status200OK, new { name, reset = true }).ConfigureAwait(false);
        }

        async Task DeleteAsync(HttpContext context, string name)
        {
            if (!await database.Indexes.DeleteAsync(name, context.RequestAborted).ConfigureAwait(false))
                throw new IndexNotFoundException(name, database.Indexes.List().Select(i => i.Name));
            await writeJson(context, StatusCodes.Status200OK, new { name, deleted = true }).ConfigureAwait(false);
        }
    }

    private static async Task ForAsync(HttpContext context, Func<HttpContext, int, object, Task> writeJson, Func<string, Task> act)
    {
        var name = context.Request.Query["name"].ToString();
        if (name.Length == 0)
        {
            await writeJson(context, StatusCodes.Status400BadRequest, new { error = "name is missing: ?name=Orders/ByCompany" }).ConfigureAwait(false);
            return;
        }
        try
        {
            await act(name).ConfigureAwait(false);
        }
        catch (IndexNotFoundException e)
        {
            await writeJson(context, StatusCodes.Status404NotFound, new { error = e.Message.TrimEnd('.') }).ConfigureAwait(false);
        }
    }
}
