using Pipeline.Database;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Operations;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>An operation of the server that changes every document that a query finds.</summary>
internal static class QueryOperation
{
    /// <summary>The query in a request's body: <c>{ Query: { … } }</c>, or the body itself.</summary>
    public static BinaryValue Query(BinaryValue root) =>
        root.TryGetProperty("Query"u8, out var inner) && inner.Kind == JsonKind.Object ? inner : root;

    /// <summary>
    /// Starts the operation and answers with its number. Unless the client allows a stale index, the index must include
    /// all earlier writes.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="query">The query that selects the documents.</param>
    /// <param name="batchSize">Documents per transaction.</param>
    /// <param name="act">Changes one document, by id.</param>
    public static Task StartAsync(
        DatabaseRequest request,
        QueryRequest query,
        int batchSize,
        Action<DocumentTransaction, string> act
    )
    {
        var database = request.Database;
        query = query with
        {
            Wait = request.Flag("allowStale")
                ? IndexWait.None
                : query.Wait ?? new IndexWait(QueryBody.Time(request.Text("staleTimeout") ?? "")),
        };
        var operation = request.Served.Operations.Start(
            request.Number("operationId", request.Served.Operations.NextId()),
            (running, stop) => RunAsync(database, query, batchSize, act, running, stop)
        );
        return OperationEndpoints.AnswerStartedAsync(request, operation);
    }

    private static async Task RunAsync(
        DocumentDatabase database,
        QueryRequest query,
        int batchSize,
        Action<DocumentTransaction, string> act,
        Operation operation,
        CancellationToken stop
    )
    {
        List<string> ids = [];
        await foreach (var item in database.StreamQueryAsync(query, stop).ConfigureAwait(false))
        {
            if (item.Id is not null)
                ids.Add(item.Id);
        }
        for (var from = 0; from < ids.Count; from += batchSize)
        {
            var batch = ids.GetRange(from, Math.Min(batchSize, ids.Count - from));
            await database
                .WriteAsync(
                    transaction =>
                    {
                        foreach (var id in batch)
                            act(transaction, id);
                    },
                    stop
                )
                .ConfigureAwait(false);
            operation.Progress = (ids.Count, from + batch.Count);
        }
        operation.Progress = (ids.Count, ids.Count);
    }
}
