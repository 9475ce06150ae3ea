using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// Converts patches (<c>{ Script, Values }</c>) and their results between the clients' form and ours.
/// </summary>
internal static class PatchBody
{
    /// <summary>Parses a patch.</summary>
    /// <exception cref="BadRequestException">The value is not a patch.</exception>
    public static DocumentPatch Read(BinaryValue patch)
    {
        if (patch["Script"].Kind != JsonKind.String || patch["Script"].GetString() is not { Length: > 0 } script)
            throw new BadRequestException("a patch is an object with a text in 'Script'");
        return new DocumentPatch(PatchScripts.Compile(script), Values(patch["Values"]));
    }

    /// <summary>The values that a script sees as <c>args</c>; empty unless they are an object.</summary>
    public static BinaryJson Values(BinaryValue values)
    {
        if (values.Kind != JsonKind.Object)
            return default;
        var text = new System.Buffers.ArrayBufferWriter<byte>();
        values.WriteTo(text);
        return BinaryJson.Parse(text.WrittenSpan);
    }

    /// <summary>The status by the name that clients use.</summary>
    public static string StatusOf(PatchResult result) => result.Status.ToString();

    /// <summary>Writes the result of patching one document, with the document.</summary>
    public static void Write(JsonAnswer answer, PatchResult result)
    {
        answer.Json.WriteStartObject();
        answer.Json.WriteString("Status", StatusOf(result));
        answer.Json.WritePropertyName("ModifiedDocument");
        answer.Document(result.Document);
        answer.Json.WriteNull("OriginalDocument");
        answer.Json.WriteString("ChangeVector", result.Document?.ChangeVector);
        answer.Json.WriteString("Collection", result.Document?.Collection);
        answer.Json.WriteStartObject("Debug");
        answer.Json.WriteStartArray("Info");
        foreach (var line in result.Output)
            answer.Json.WriteStringValue(line);
        answer.Json.WriteEndArray();
        answer.Json.WriteEndObject();
        answer.Json.WriteEndObject();
    }
}
