using System.Text.Json;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Answers that are not held whole: a list is sent as it is read.</summary>
internal static class StreamedAnswer
{
    /// <summary>Sends items in an object's list <c>Results</c>, or each on a line of its own.</summary>
    /// <param name="request">What is answered.</param>
    /// <param name="asLines">Whether each item is a line.</param>
    /// <param name="head">Writes properties to come before the list; as lines, in a first line's <c>Stats</c>, and each item is an <c>Item</c> then.</param>
    /// <param name="items">The items.</param>
    /// <param name="write">Writes one.</param>
    public static async Task SendAsync<T>(DatabaseRequest request, bool asLines, Action<Utf8JsonWriter>? head, IAsyncEnumerable<T> items, Action<JsonAnswer, T> write)
    {
        request.Context.Response.ContentType = asLines ? "application/x-ndjson" : JsonAnswer.ContentType;
        using var answer = new JsonAnswer(request.Memory);
        if (!asLines)
        {
            answer.Json.WriteStartObject();
            head?.Invoke(answer.Json);
            answer.Json.WriteStartArray("Results");
        }
        else if (head is not null)
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteStartObject("Stats");
            head(answer.Json);
            answer.EndLine();
        }
        await foreach (var item in items.WithCancellation(request.Aborted).ConfigureAwait(false))
        {
            if (asLines && head is not null)
            {
                answer.Json.WriteStartObject();
                answer.Json.WritePropertyName("Item");
            }
            write(answer, item);
            if (asLines)
                answer.EndLine();
            if (answer.Waiting > DatabaseRequest.SendBytes)
                await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
        }
        if (!asLines)
        {
            answer.Json.WriteEndArray();
            answer.Json.WriteEndObject();
        }
        await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
    }
}
