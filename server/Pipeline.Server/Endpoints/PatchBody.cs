using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Patches as clients send them, <c>{ Script, Values }</c>, and what they did as clients read it.</summary>
internal static class PatchBody
{
    private const int MostKept = 256;
    private static readonly Lock Gate = new();
    private static readonly Dictionary<string, PatchScript> Kept = new(StringComparer.Ordinal);

    /// <summary>Reads a patch.</summary>
    /// <exception cref="BadRequestException">It is none.</exception>
    public static DocumentPatch Read(BinaryValue patch)
    {
        if (patch["Script"].Kind != JsonKind.String || patch["Script"].GetString() is not { Length: > 0 } script)
            throw new BadRequestException("a patch is an object with a text in 'Script'");
        return new DocumentPatch(Compile(script), Values(patch["Values"]));
    }

    /// <summary>What a script has as <c>args</c>; nothing where it is no object.</summary>
    public static BinaryJson Values(BinaryValue values)
    {
        if (values.Kind != JsonKind.Object)
            return default;
        var text = new System.Buffers.ArrayBufferWriter<byte>();
        values.WriteTo(text);
        return BinaryJson.Parse(text.WrittenSpan);
    }

    /// <summary>Compiles a script, or finds it among those of before.</summary>
    /// <exception cref="ScriptRuntimeException">It has errors.</exception>
    public static PatchScript Compile(string script)
    {
        lock (Gate)
        {
            if (Kept.TryGetValue(script, out var known))
                return known;
        }
        var compilation = JavaScriptCompiler.CompilePatch(script);
        if (!compilation.Succeeded)
        {
            var error = compilation.Errors[0];
            throw new ScriptRuntimeException($"The script of the patch is not JavaScript: line {error.Line}, column {error.Column}: {error.Message}", null, error.Line, error.Column);
        }
        lock (Gate)
        {
            if (Kept.Count >= MostKept)
                Kept.Clear();
            Kept[script] = compilation.Script;
        }
        return compilation.Script;
    }

    /// <summary>The status in clients' words.</summary>
    public static string StatusOf(PatchResult result) => result.Status.ToString();

    /// <summary>Writes what a patch of one document did, with the document.</summary>
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
