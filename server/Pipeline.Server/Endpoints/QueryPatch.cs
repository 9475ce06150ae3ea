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
        var asked = QueryOperation.Query(BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root);
        var query = QueryBody.Read(asked);
        var syntax = QueryParser.Parse(query.Text);
        if (syntax.Update is not { } update)
            throw new BadRequestException("the query has no 'update { … }'; write one with the script to run on each document");
        if (syntax.Load.Count > 0)
            throw new UnsupportedException("'load' in a query with 'update'", "call load(id) in the script");
        var text = (syntax with { Update = null, Functions = [] }).ToString();
        var alias = syntax.From.Alias;
        var functions = string.Concat(syntax.Functions.Select(f => f.ToScript() + " "));
        // The query's alias is another name for the document.
        var script = functions + (alias is null ? "" : $"const {alias} = this; ") + update.Body;
        var patch = new DocumentPatch(PatchScripts.Compile(script), PatchBody.Values(asked["QueryParameters"]));
        await QueryOperation.StartAsync(request, query with { Text = text }, PatchBatch, (transaction, id) => transaction.Patch(id, patch)).ConfigureAwait(false);
    }
}
