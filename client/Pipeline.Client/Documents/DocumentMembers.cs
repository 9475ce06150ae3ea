using System.Buffers;
using System.Text.Json;

namespace Pipeline.Client.Documents;

/// <summary>Copies JSON objects with some of their top-level members left out or added.</summary>
internal static class DocumentMembers
{
    /// <summary>The members without the metadata, after a member that holds the id.</summary>
    /// <param name="json">A document.</param>
    /// <param name="idName">The name of the id's member; <see langword="null"/> adds none.</param>
    /// <param name="id">The id.</param>
    public static byte[] WithId(ReadOnlySpan<byte> json, string? idName, string? id)
    {
        var target = new ArrayBufferWriter<byte>(json.Length + 64);
        using (var writer = new Utf8JsonWriter(target, Relaxed))
        {
            writer.WriteStartObject();
            // The discriminator of a polymorphic type comes first.
            Copy(json, writer, isListed: true, "$type");
            if (idName is not null && id is not null)
                writer.WriteString(idName, id);
            Copy(json, writer, isListed: false, "@metadata", idName, "$type");
            writer.WriteEndObject();
        }

        return target.WrittenSpan.ToArray();
    }

    /// <summary>The members without the id's, before the metadata.</summary>
    public static byte[] WithMetadata(ReadOnlySpan<byte> json, string? idName, ReadOnlySpan<byte> metadata)
    {
        var target = new ArrayBufferWriter<byte>(json.Length + metadata.Length + 16);
        using (var writer = new Utf8JsonWriter(target, Relaxed))
        {
            writer.WriteStartObject();
            Copy(json, writer, isListed: false, "@metadata", idName);
            writer.WritePropertyName("@metadata"u8);
            writer.WriteRawValue(metadata, skipInputValidation: true);
            writer.WriteEndObject();
        }

        return target.WrittenSpan.ToArray();
    }

    internal static JsonWriterOptions Relaxed { get; } =
        new()
        {
            Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            SkipValidation = true,
        };

    /// <summary>Copies the members that are listed, or those that are not.</summary>
    private static void Copy(
        ReadOnlySpan<byte> json,
        Utf8JsonWriter writer,
        bool isListed,
        params ReadOnlySpan<string?> names
    )
    {
        var reader = new Utf8JsonReader(json);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isTaken = IsIn(names, ref reader) == isListed;
            if (isTaken)
            {
                writer.WritePropertyName(
                    reader.HasValueSequence || reader.ValueIsEscaped
                        ? System.Text.Encoding.UTF8.GetBytes(reader.GetString()!)
                        : reader.ValueSpan
                );
            }

            reader.Read();
            var start = (int)reader.TokenStartIndex;
            reader.Skip();
            if (isTaken)
                writer.WriteRawValue(json[start..(int)reader.BytesConsumed], skipInputValidation: true);
        }
    }

    private static bool IsIn(scoped ReadOnlySpan<string?> names, ref Utf8JsonReader reader)
    {
        foreach (var name in names)
        {
            if (name is not null && reader.ValueTextEquals(name))
                return true;
        }

        return false;
    }
}
