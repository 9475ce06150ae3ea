using System.Text.Json;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Sends long answers in parts: list items go out while later ones are still being read.</summary>
internal static class StreamedAnswer
{
    /// <summary>Sends items in the list <c>Results</c> of an object, or one per line.</summary>
    /// <param name="request">The request to answer.</param>
    /// <param name="asLines">Whether to send one item per line.</param>
    /// <param name="head">
    /// Writes the properties before the list. With lines, they form the <c>Stats</c> of the first line, and each item
    /// is an <c>Item</c>.
    /// </param>
    /// <param name="items">The items.</param>
    /// <param name="write">Writes an item.</param>
    public static async Task SendAsync<T>(
        DatabaseRequest request,
        bool asLines,
        Action<Utf8JsonWriter>? head,
        IAsyncEnumerable<T> items,
        Action<JsonAnswer, T> write
    )
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
