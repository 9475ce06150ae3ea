using System.Buffers;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>Sets one property of a document's metadata that the database itself writes.</summary>
internal static class MetadataProperty
{
    /// <summary>The body with the property as given.</summary>
    /// <param name="body">The document.</param>
    /// <param name="name">The property: letters and signs that JSON text need not escape.</param>
    /// <param name="value">Its value as JSON text; empty to leave the property out.</param>
    /// <returns>The new body, in memory that is good until this thread parses again.</returns>
    internal static ReadOnlySpan<byte> Set(BinaryJson body, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        var text = new ArrayBufferWriter<byte>(body.Data.Length + 256);
        var writer = new JsonTextWriter(text);
        writer.Raw("{\"@metadata\":{"u8);
        if (!value.IsEmpty)
        {
            writer.Raw((byte)'"');
            writer.Raw(name);
            writer.Raw("\":"u8);
            writer.Raw(value);
        }

        if (body.Root.TryGetProperty("@metadata"u8, out var metadata))
            writer.Properties(metadata, first: value.IsEmpty, name);
        writer.Raw((byte)'}');
        writer.Properties(body.Root, first: false, "@metadata"u8);
        writer.Raw((byte)'}');
        writer.Flush();

        // No limits: they apply to the user's input, which was already checked; this adds one property to it.
        var parser = BinaryJsonParser.ForThread();
        parser.ParseText(
            text.WrittenSpan,
            new JsonLimits { MaxDepth = int.MaxValue, MaxBytes = int.MaxValue },
            asDocument: true
        );
        return parser.Output;
    }
}
