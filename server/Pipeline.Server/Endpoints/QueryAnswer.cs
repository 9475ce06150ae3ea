using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Writes query results with the names that RavenDB's clients expect.</summary>
public static class QueryAnswer
{
    /// <summary>Writes a result as an object, UTF-8.</summary>
    /// <param name="target">The target.</param>
    /// <param name="result">The query's result.</param>
    /// <param name="now">The time to write into the answer.</param>
    public static void Write(IBufferWriter<byte> target, QueryResult result, DateTimeOffset now)
    {
        using var answer = new JsonAnswer();
        foreach (var _ in Parts(answer, result, now))
        {
            // The parts are not sent, so the target receives the whole answer.
        }
        target.Write(answer.Complete().Span);
    }

    /// <summary>Answers a request with a result; a long answer is sent in parts while it is written.</summary>
    internal static async Task SendAsync(DatabaseRequest request, QueryResult result)
    {
        using var answer = request.BeginAnswer();
        foreach (var _ in Parts(answer, result, request.Served.Time.GetUtcNow()))
            await request.SendPartAsync(answer).ConfigureAwait(false);
        await request.EndAnswerAsync(answer).ConfigureAwait(false);
    }

    /// <summary>Writes a result in parts; after each part, the text so far may be sent.</summary>
    private static IEnumerable<JsonAnswer> Parts(JsonAnswer answer, QueryResult result, DateTimeOffset now)
    {
        var json = answer.Json;
        json.WriteStartObject();
        json.WriteStartArray("Results");
        foreach (var item in result.Items)
        {
            answer.Raw(target => Write(target, item));
            yield return answer;
        }
        json.WriteEndArray();
        json.WriteStartObject("Includes");
        foreach (var (id, document) in result.Includes)
        {
            json.WritePropertyName(id);
            answer.Document(document);
            yield return answer;
        }
        json.WriteEndObject();
        json.WriteNumber("TotalResults", result.Total);
        json.WriteNumber("LongTotalResults", result.Total);
        json.WriteNumber("SkippedResults", result.Skipped);
        json.WriteNumber("ScannedResults", result.Scanned ?? 0);
        json.WriteBoolean("IsTotalExact", result.IsTotalExact);
        WriteState(json, result, now);
        json.WriteNumber("DurationInMs", (long)Math.Ceiling(result.Duration.TotalMilliseconds));
        json.WriteString("NodeTag", "A");
        json.WriteStartArray("IncludedPaths");
        foreach (var path in result.IncludedPaths)
            json.WriteStringValue(path);
        json.WriteEndArray();
        if (result.CompareExchangeIncludes.Count > 0)
            CompareExchangeEndpoints.WriteIncludes(answer, result.CompareExchangeIncludes);
        if (result.RevisionIncludes.Count > 0)
            RevisionEndpoints.WriteIncludes(answer, result.RevisionIncludes);
        if (result is { HasTimings: true, Plan: { } plan })
        {
            json.WritePropertyName("Timings");
            WriteTimings(json, plan);
            json.WritePropertyName("Plan");
            WritePlan(json, plan);
        }
        WriteExplanations(json, result);
        WriteHighlights(json, result);
        json.WriteEndObject();
    }

    /// <summary>
    /// Writes which index produced the results and how fresh it is. Also used at the head of a stream.
    /// </summary>
    internal static void WriteState(Utf8JsonWriter json, QueryResult result, DateTimeOffset now)
    {
        json.WriteString("IndexName", result.IndexName);
        json.WriteBoolean("IsStale", result.IsStale);
        json.WriteNumber("Lag", result.Lag.Changes);
        json.WriteString("IndexTimestamp", JsonAnswer.Time(result.Lag.LastIndexed ?? now));
        json.WriteString("LastQueryTime", JsonAnswer.Time(now));
        json.WriteNumber("ResultEtag", result.ETag);
    }

    /// <summary>
    /// Writes one result. A document has its score in its metadata, and the output of <c>select</c> has metadata that
    /// mark it as such. A facet is written unchanged, since clients recognize it by its form.
    /// </summary>
    internal static void Write(IBufferWriter<byte> target, QueryItem item)
    {
        if (item.Document is { } document)
        {
            document.WriteJson(
                target,
                DocumentParts.All | DocumentParts.OmitEmptyCollection,
                [.. DocumentFlagsText.Property(document, DocumentFlags.None), .. Measures(item, first: false)]
            );
            return;
        }
        if (item.IsFacet)
        {
            item.WriteJson(target);
            return;
        }
        var made = new ArrayBufferWriter<byte>();
        item.WriteJson(made);
        var rest = made.WrittenSpan[1..];
        target.Write("{\"@metadata\":{"u8);
        if (item.Id is not null)
        {
            target.Write("\"@id\":"u8);
            target.Write(JsonSerializer.SerializeToUtf8Bytes(item.Id));
            target.Write(",\"@projection\":true"u8);
        }
        target.Write(Measures(item, first: item.Id is null));
        target.Write(rest[0] == '}' ? "}"u8 : "},"u8);
        target.Write(rest);
    }

    private static byte[] Measures(QueryItem item, bool first)
    {
        if (item.Score is not { } score)
            return [];
        var text = string.Create(CultureInfo.InvariantCulture, $"{(first ? "" : ",")}\"@index-score\":{score:R}");
        return System.Text.Encoding.ASCII.GetBytes(
            item.DistanceMeters is { } distance
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"{text},\"@spatial\":{{\"Distance\":{distance / 1000:R}}}"
                )
                : text
        );
    }

    private static void WriteTimings(Utf8JsonWriter json, PlanNode node)
    {
        json.WriteStartObject();
        json.WriteNumber("DurationInMs", (long)(node.Elapsed?.TotalMilliseconds ?? 0));
        json.WriteStartObject("Timings");
        var number = 0;
        foreach (var step in node.Steps)
        {
            json.WritePropertyName(
                string.Create(CultureInfo.InvariantCulture, $"{++number}. {step.Operation} {step.Detail}").TrimEnd()
            );
            WriteTimings(json, step);
        }
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WritePlan(Utf8JsonWriter json, PlanNode node)
    {
        json.WriteStartObject();
        json.WriteString("Operation", node.Operation);
        json.WriteString("Detail", node.Detail);
        json.WriteNumber("Estimated", node.EstimatedCount);
        if (node.ActualCount is { } actual)
            json.WriteNumber("Actual", actual);
        if (node.Elapsed is { } elapsed)
            json.WriteNumber("DurationInMs", elapsed.TotalMilliseconds);
        json.WriteStartArray("Steps");
        foreach (var step in node.Steps)
            WritePlan(json, step);
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteExplanations(Utf8JsonWriter json, QueryResult result)
    {
        if (result.Explanations.Count == 0)
            return;
        json.WriteStartObject("Explanations");
        foreach (var (id, explanation) in result.Explanations)
        {
            json.WriteStartArray(id);
            json.WriteStringValue(explanation.ToString());
            json.WriteEndArray();
        }
        json.WriteEndObject();
    }

    private static void WriteHighlights(Utf8JsonWriter json, QueryResult result)
    {
        if (result.Highlights.Count == 0)
            return;
        json.WriteStartObject("Highlightings");
        foreach (var (field, documents) in result.Highlights)
        {
            json.WriteStartObject(field);
            foreach (var (id, fragments) in documents)
            {
                json.WriteStartArray(id);
                foreach (var fragment in fragments)
                    json.WriteStringValue(fragment);
                json.WriteEndArray();
            }
            json.WriteEndObject();
        }
        json.WriteEndObject();
    }
}
