using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>Reads the server's answers.</summary>
internal static class AnswerReader
{
    /// <summary>
    /// The documents of an answer's <c>Results</c> and <c>Includes</c>, without those that are missing.
    /// </summary>
    public static (List<DocumentData> Results, List<DocumentData> Includes, QueryStatistics Statistics) Documents(
        ReadOnlyMemory<byte> json
    )
    {
        var (results, includes) = (new List<DocumentData>(), new List<DocumentData>());
        var (index, total, isStale) = ("", 0L, false);
        var reader = new Utf8JsonReader(json.Span);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString();
            reader.Read();
            if (name == "Results" && reader.TokenType == JsonTokenType.StartArray)
            {
                while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                    Add(ref reader, json, results);
            }
            else if (name == "Includes" && reader.TokenType == JsonTokenType.StartObject)
            {
                while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                {
                    reader.Read();
                    Add(ref reader, json, includes);
                }
            }
            else if (name == "IndexName" && reader.TokenType == JsonTokenType.String)
            {
                index = reader.GetString()!;
            }
            else if (name == "LongTotalResults" && reader.TokenType == JsonTokenType.Number)
            {
                total = reader.GetInt64();
            }
            else if (name == "IsStale")
            {
                isStale = reader.TokenType == JsonTokenType.True;
            }
            else
            {
                reader.Skip();
            }
        }

        return (results, includes, new QueryStatistics(index, total, isStale));
    }

    /// <summary>The results of a save: those of the commands, then those of the actions.</summary>
    public static (List<SavedDocument> Documents, IReadOnlyList<ActionResult> Actions) Saved(
        ReadOnlySpan<byte> json,
        int commands
    )
    {
        var saved = new List<SavedDocument>();
        List<ActionResult>? actions = null;
        using var document = JsonDocument.Parse(json.ToArray());
        foreach (var result in document.RootElement.GetProperty("Results").EnumerateArray())
        {
            if (saved.Count == commands)
            {
                (actions ??= []).Add(Action(result));
                continue;
            }

            var id = Text(result, "@id") ?? Text(result, "Id") ?? "";
            DateTimeOffset? modified =
                result.TryGetProperty("@last-modified", out var time) && time.TryGetDateTimeOffset(out var at)
                    ? at
                    : null;
            saved.Add(new SavedDocument(id, Text(result, "@change-vector"), modified));
        }

        return (saved, actions ?? (IReadOnlyList<ActionResult>)[]);
    }

    private static ActionResult Action(JsonElement result)
    {
        var document =
            result.TryGetProperty("ModifiedDocument", out var patched) && patched.ValueKind == JsonValueKind.Object
                ? Data(patched)
                : null;
        // A patch reports its document's version, an attachment its own and that of its document.
        return new ActionResult(
            Text(result, "DocumentChangeVector")
                ?? (result.TryGetProperty("PatchStatus", out _) ? Text(result, "ChangeVector") : null),
            document
        );
    }

    /// <summary>A document of an answer.</summary>
    public static DocumentData Data(JsonElement json) =>
        DocumentData.Parse(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(json).ToArray());

    /// <summary>A member's text.</summary>
    public static string? Text(JsonElement json, string name) =>
        json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static void Add(ref Utf8JsonReader reader, ReadOnlyMemory<byte> json, List<DocumentData> target)
    {
        var start = (int)reader.TokenStartIndex;
        var isDocument = reader.TokenType == JsonTokenType.StartObject;
        reader.Skip();
        if (isDocument)
            target.Add(DocumentData.Parse(json[start..(int)reader.BytesConsumed]));
    }
}
