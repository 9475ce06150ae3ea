using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary><c>from … update { … }</c>: an operation that runs a script on every document that a query finds.</summary>
internal static class QueryPatch
{
    private const int PatchBatch = 256;

    /// <summary>Starts the operation.</summary>
    public static async Task StartAsync(DatabaseRequest request)
    {
        var asked = QueryOperation.Query(
            BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root
        );
        var query = QueryBody.Read(asked);
        var update = UpdateQuery.Parse(query.Text);
        var patch = new DocumentPatch(PatchScripts.Compile(update.Script), PatchBody.Values(asked["QueryParameters"]));
        await QueryOperation
            .StartAsync(
                request,
                query with
                {
                    Text = update.Selection,
                },
                PatchBatch,
                (transaction, id) => transaction.Patch(id, patch)
            )
            .ConfigureAwait(false);
    }
}
