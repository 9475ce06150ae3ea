using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Queries;
using Pipeline.Indexing;

namespace Pipeline.Worker.Queries;

/// <summary>Writes what a query gave as JSON, with the names that RavenDB's clients know.</summary>
internal static class QueryAnswer
{
    /// <summary>Writes it.</summary>
    public static void Write(IBufferWriter<byte> target, QueryResult result)
    {
        using var json = new Utf8JsonWriter(target, new JsonWriterOptions { SkipValidation = true });
        var item = new ArrayBufferWriter<byte>();
        json.WriteStartObject();
        json.WriteStartArray("Results");
        foreach (var one in result.Items)
        {
            item.ResetWrittenCount();
            one.WriteJson(item);
            json.WriteRawValue(item.WrittenSpan, skipInputValidation: true);
        }
        json.WriteEndArray();
        WriteIncludes(json, result, item);
        json.WriteNumber("TotalResults", result.Total);
        json.WriteNumber("LongTotalResults", result.Total);
        json.WriteNumber("SkippedResults", result.Skipped);
        if (result.Scanned is { } scanned)
            json.WriteNumber("ScannedResults", scanned);
        json.WriteBoolean("IsTotalExact", result.IsTotalExact);
        json.WriteString("IndexName", result.IndexName);
        json.WriteBoolean("IsStale", result.Lag.IsStale);
        json.WriteNumber("Lag", result.Lag.Changes);
        if (result.Lag.LastIndexed is { } indexed)
            json.WriteString("IndexTimestamp", indexed.UtcDateTime);
        json.WriteNumber("ResultEtag", result.ETag);
        json.WriteNumber("DurationInMs", (long)result.Duration.TotalMilliseconds);
        json.WriteStartArray("IncludedPaths");
        foreach (var path in result.IncludedPaths)
            json.WriteStringValue(path);
        json.WriteEndArray();
        if (result is { HasTimings: true, Plan: { } plan })
        {
            json.WritePropertyName("Timings");
            WritePlan(json, plan);
        }
        WriteExplanations(json, result);
        WriteHighlights(json, result);
        json.WriteEndObject();
    }

    /// <summary>The ETag as HTTP has it.</summary>
    public static string ETag(QueryResult result) => string.Create(CultureInfo.InvariantCulture, $"\"{result.ETag}\"");

    private static void WriteIncludes(Utf8JsonWriter json, QueryResult result, ArrayBufferWriter<byte> buffer)
    {
        json.WriteStartObject("Includes");
        foreach ((string id, Document? document) in result.Includes)
        {
            json.WritePropertyName(id);
            if (document is null)
            {
                json.WriteNullValue();
                continue;
            }
            buffer.ResetWrittenCount();
            document.WriteJson(buffer);
            json.WriteRawValue(buffer.WrittenSpan, skipInputValidation: true);
        }
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
        foreach ((string id, Explanation explanation) in result.Explanations)
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
