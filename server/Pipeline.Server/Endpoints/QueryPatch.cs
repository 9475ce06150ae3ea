using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Language;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary><c>from … update { … }</c>: a script over every document that a query finds, by an operation.</summary>
internal static class QueryPatch
{
    private const int PatchBatch = 256;

    /// <summary>Begins it.</summary>
    public static async Task StartAsync(DatabaseRequest request)
    {
        var root = BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root;
        var asked = root.TryGetProperty("Query"u8, out var inner) && inner.Kind == JsonKind.Object ? inner : root;
        var query = QueryBody.Read(asked);
        var syntax = QueryParser.Parse(query.Text);
        if (syntax.Update is not { } update)
            throw new BadRequestException("the query has no 'update { … }', which says what is done to each document");
        if (syntax.Load.Count > 0)
            throw new UnsupportedException("'load' beside 'update'", "call load(id) in the script");
        var text = (syntax with { Update = null, Functions = [] }).ToString();
        var alias = syntax.From.Alias;
        var functions = string.Concat(syntax.Functions.Select(f => $"function {f.Name}({string.Join(", ", f.Parameters)}) {{{f.Body}}} "));
        // The alias of the query is another name of the document.
        var script = functions + (alias is null ? "" : $"const {alias} = this; ") + update.Body;
        var values = asked["QueryParameters"];
        var patch = new DocumentPatch(PatchBody.Compile(script), values.Kind == JsonKind.Object ? BinaryJson.Parse(System.Text.Encoding.UTF8.GetBytes(values.ToString())) : default);
        var (database, found) = (request.Database, query with { Text = text });
        var operation = request.Served.Operations.Start(
            request.Number("operationId", request.Served.Operations.NextId()), (running, stop) => RunAsync(database, found, patch, running, stop));
        await OperationEndpoints.AnswerStartedAsync(request, operation).ConfigureAwait(false);
    }

    private static async Task RunAsync(DocumentDatabase database, QueryRequest query, DocumentPatch patch, Operation operation, CancellationToken stop)
    {
        List<string> ids = [];
        await foreach (var item in database.StreamQueryAsync(query, stop).ConfigureAwait(false))
        {
            if (item.Id is not null)
                ids.Add(item.Id);
        }
        for (var from = 0; from < ids.Count; from += PatchBatch)
        {
            var batch = ids.GetRange(from, Math.Min(PatchBatch, ids.Count - from));
            await database.WriteAsync(
                transaction =>
                {
                    foreach (var id in batch)
                        transaction.Patch(id, patch);
                },
                stop).ConfigureAwait(false);
            operation.Progress = (ids.Count, from + batch.Count);
        }
        operation.Progress = (ids.Count, ids.Count);
    }
}
