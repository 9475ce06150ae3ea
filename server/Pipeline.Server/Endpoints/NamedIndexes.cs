using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>The indexes that a request names, and an answer with a result for each.</summary>
internal static class NamedIndexes
{
    public static IReadOnlyList<IndexInfo> Chosen(DatabaseRequest request) =>
        request.Texts("name") is { Count: > 0 } names
            ? [.. names.Select(n => Find(request, n))]
            : request.Database.Indexes.List();

    public static IndexInfo Named(DatabaseRequest request) => Find(request, request.Required("name"));

    public static IndexInfo Find(DatabaseRequest request, string name) =>
        request.Database.Indexes.Get(name)
        ?? throw new IndexNotFoundException(name, request.Database.Indexes.List().Select(i => i.Name));

    public static Task ResultsAsync(
        DatabaseRequest request,
        IReadOnlyList<IndexInfo> indexes,
        Action<Utf8JsonWriter, IndexInfo> write
    ) =>
        request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var index in indexes)
                    write(answer.Json, index);
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
}
