using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Hosting.Queries;

/// <summary>
/// <c>/indexes</c>: GET lists them, GET <c>/errors</c> lists the errors of one, POST <c>/reset</c> rebuilds one, DELETE
/// removes one. <c>name</c> selects the index.
/// </summary>
internal static class IndexEndpoint
{
    /// <summary>Adds the endpoints.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database)
    {
        const string path = "/indexes";
        application.MapGet(path, context => AdminAnswer.WriteAsync(context, IndexView.Of(database)));
        application.MapGet(
            path + "/errors",
            context =>
                AdminAnswer.DoAsync(context, () => database.Indexes.GetErrors(Name(context)).Select(IndexErrorView.Of))
        );
        application.MapPost(
            path + "/reset",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = Name(context);
                        await database.Indexes.ResetAsync(name, ct).ConfigureAwait(false);
                        return new { name, reset = true };
                    }
                )
        );
        application.MapDelete(
            path,
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = Name(context);
                        if (!await database.Indexes.DeleteAsync(name, ct).ConfigureAwait(false))
                            throw new IndexNotFoundException(name, database.Indexes.List().Select(i => i.Name));
                        return new { name, deleted = true };
                    }
                )
        );
    }

    private static string Name(HttpContext context) => AdminAnswer.Required(context, "name", "Orders/ByCompany");
}
