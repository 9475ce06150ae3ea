using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>cmpxchg</c>: values that only a client that knows their index can replace.</summary>
internal static class CompareExchangeEndpoints
{
    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/cmpxchg", DatabaseAccess.Read, GetAsync);
        routes.Add("PUT", "/cmpxchg", DatabaseAccess.ReadWrite, PutAsync);
        routes.Add("DELETE", "/cmpxchg", DatabaseAccess.ReadWrite, DeleteAsync);
    }

    /// <summary>Writes a value; a missing one has the index -1.</summary>
    public static void Write(JsonAnswer answer, string key, CompareExchangeValue? value)
    {
        var json = answer.Json;
        json.WriteStartObject();
        json.WriteString("Key", value?.Key ?? key);
        json.WriteNumber("Index", value?.Index ?? -1);
        json.WritePropertyName("Value");
        WriteValue(answer, value);
        json.WriteNull("ChangeVector");
        json.WriteEndObject();
    }

    /// <summary>Writes the values included with documents or results.</summary>
    public static void WriteIncludes(JsonAnswer answer, IEnumerable<KeyValuePair<string, CompareExchangeValue?>> values)
    {
        answer.Json.WriteStartObject("CompareExchangeValueIncludes");
        foreach (var (key, value) in values)
        {
            answer.Json.WritePropertyName(key);
            Write(answer, key, value);
        }
        answer.Json.WriteEndObject();
    }

    private static async Task GetAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("cmpxchg");
        var keys = request.Texts("key");
        List<(string Key, CompareExchangeValue? Value)> found =
            keys.Count > 0
                ? [.. keys.Select(key => (key, snapshot.GetCompareExchange(key)))]
                :
                [
                    .. snapshot
                        .GetCompareExchangeByPrefix(request.Text("startsWith") ?? "")
                        .Skip((int)Math.Min(int.MaxValue, request.Number("start", 0)))
                        .Take((int)Math.Min(int.MaxValue, request.Number("pageSize", int.MaxValue)))
                        .Select(value => (value.Key, (CompareExchangeValue?)value)),
                ];
        if (keys.Count == 1 && found[0].Value is null)
        {
            await request.AnswerAsync(StatusCodes.Status404NotFound).ConfigureAwait(false);
            return;
        }
        var etag = new ETagHash();
        foreach (var (_, value) in found)
            etag.Add(value?.Index ?? -1);
        if (request.IsKnown(etag.ToString()))
            return;
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteStartArray("Results");
                    foreach (var (key, value) in found)
                        Write(answer, key, value);
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task PutAsync(DatabaseRequest request)
    {
        var key = request.Required("key");
        var index = request.Number("index", 0);
        var value = BinaryJsonParser.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span);
        await AnswerAsync(
                request,
                await request
                    .Database.WriteAsync(
                        transaction => transaction.PutCompareExchange(key, value, index),
                        request.Aborted
                    )
                    .ConfigureAwait(false)
            )
            .ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        var key = request.Required("key");
        var index = request.Number("index", 0);
        await AnswerAsync(
                request,
                await request
                    .Database.WriteAsync(transaction => transaction.DeleteCompareExchange(key, index), request.Aborted)
                    .ConfigureAwait(false)
            )
            .ConfigureAwait(false);
    }

    private static Task AnswerAsync(DatabaseRequest request, CompareExchangeResult result) =>
        request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();

                // Clients take 0 for no answer at all.
                answer.Json.WriteNumber("Index", Math.Max(1, result.Index));
                answer.Json.WritePropertyName("Value");
                WriteValue(answer, result.Current);
                answer.Json.WriteBoolean("Successful", result.Successful);
                answer.Json.WriteEndObject();
            }
        );

    private static void WriteValue(JsonAnswer answer, CompareExchangeValue? value)
    {
        if (value is null)
            answer.Json.WriteNullValue();
        else
            answer.Raw(target => value.Value.WriteTo(target));
    }
}
