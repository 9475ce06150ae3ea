using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary><c>bulk_docs</c>: what a session saves, all of it in one commit or nothing.</summary>
internal static class BatchEndpoint
{
    /// <summary>Adds it.</summary>
    public static void Add(DatabaseRoutes routes) => routes.Add("POST", "/bulk_docs", DatabaseAccess.ReadWrite, PostAsync);

    private static async Task PostAsync(DatabaseRequest request)
    {
        var batch = BatchCommands.Read((await request.ReadBodyAsync().ConfigureAwait(false)).Span);
        var results = await request.Database.ExecuteAsync(batch, request.Aborted).ConfigureAwait(false);
        await WaitForIndexesAsync(request, results).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status201Created, answer =>
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteStartArray("Results");
            foreach (var result in results)
                Write(answer.Json, result);
            answer.Json.WriteEndArray();
            answer.Json.WriteEndObject();
        }).ConfigureAwait(false);
    }

    private static void Write(Utf8JsonWriter json, CommandResult result)
    {
        json.WriteStartObject();
        if (result.Put is { } put)
        {
            json.WriteString("Type", "PUT");
            json.WriteString("@id", put.Id);
            json.WriteString("@collection", put.Collection);
            json.WriteString("@change-vector", put.ChangeVector);
            json.WriteString("@last-modified", JsonAnswer.Time(put.LastModified));
        }
        else
        {
            json.WriteString("Type", "DELETE");
            json.WriteString("Id", result.Id);
            json.WriteBoolean("Deleted", result.Deleted);
            json.WriteNull("ChangeVector");
        }
        json.WriteEndObject();
    }

    private static async Task WaitForIndexesAsync(DatabaseRequest request, IReadOnlyList<CommandResult> results)
    {
        if (request.Text("waitForIndexesTimeout") is not { } text || results.Count == 0)
            return;
        var deadline = request.Served.Time.GetUtcNow() + QueryBody.Time(text);
        var named = request.Texts("waitForSpecificIndex");
        var last = results.Max(r => r.Put?.Position ?? 0);
        foreach (var index in request.Database.Indexes.List().Where(i => named.Count == 0 || named.Contains(i.Name, StringComparer.OrdinalIgnoreCase)))
        {
            var left = deadline - request.Served.Time.GetUtcNow();
            var fresh = await request.Database.Indexes.WaitAsync(index.Name, last == 0 ? null : last, left > TimeSpan.Zero ? left : TimeSpan.Zero, request.Aborted).ConfigureAwait(false);
            if (!fresh && (request.Text("waitForIndexThrow") is not { } throws || bool.Parse(throws)))
                throw new TimeoutException($"the index '{index.Name}' does not show the batch after {text}; the batch is stored");
        }
    }
}
