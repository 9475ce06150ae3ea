using System.Buffers;
using System.Text.Json;

namespace Pipeline.Client.Documents;

/// <summary>Keeps what a document has and its class does not know.</summary>
/// <remarks>
/// A member is unknown if the stored document has it and the loaded object did not write it. Objects are merged member
/// by member. An element of an array keeps its unknown members if the loaded array had an equal element, or if the
/// array still has its length.
/// </remarks>
internal static class UnknownMembers
{
    /// <summary>The changed object with the unknown members of the stored one.</summary>
    /// <param name="stored">The loaded document.</param>
    /// <param name="loaded">The object's JSON right after loading.</param>
    /// <param name="changed">The object's JSON now.</param>
    public static byte[] Merge(ReadOnlyMemory<byte> stored, ReadOnlyMemory<byte> loaded, ReadOnlyMemory<byte> changed)
    {
        using var before = JsonDocument.Parse(stored);
        using var known = JsonDocument.Parse(loaded);
        using var now = JsonDocument.Parse(changed);
        var target = new ArrayBufferWriter<byte>(stored.Length + changed.Length);
        using (var writer = new Utf8JsonWriter(target, DocumentMembers.Relaxed))
            Write(writer, before.RootElement, known.RootElement, now.RootElement);
        return target.WrittenSpan.ToArray();
    }

    private static void Write(Utf8JsonWriter writer, JsonElement stored, JsonElement loaded, JsonElement now)
    {
        if (
            now.ValueKind == JsonValueKind.Object
            && stored.ValueKind == JsonValueKind.Object
            && loaded.ValueKind == JsonValueKind.Object
        )
        {
            WriteObject(writer, stored, loaded, now);
        }
        else if (
            now.ValueKind == JsonValueKind.Array
            && stored.ValueKind == JsonValueKind.Array
            && loaded.ValueKind == JsonValueKind.Array
            && stored.GetArrayLength() == loaded.GetArrayLength()
        )
        {
            WriteArray(writer, stored, loaded, now);
        }
        else
        {
            Raw(writer, now);
        }
    }

    private static void WriteObject(Utf8JsonWriter writer, JsonElement stored, JsonElement loaded, JsonElement now)
    {
        writer.WriteStartObject();
        foreach (var member in now.EnumerateObject())
        {
            writer.WritePropertyName(member.Name);
            if (stored.TryGetProperty(member.Name, out var was) && loaded.TryGetProperty(member.Name, out var read))
                Write(writer, was, read, member.Value);
            else
                Raw(writer, member.Value);
        }

        foreach (var member in stored.EnumerateObject())
        {
            if (loaded.TryGetProperty(member.Name, out _) || now.TryGetProperty(member.Name, out _))
                continue;
            writer.WritePropertyName(member.Name);
            Raw(writer, member.Value);
        }

        writer.WriteEndObject();
    }

    private static void WriteArray(Utf8JsonWriter writer, JsonElement stored, JsonElement loaded, JsonElement now)
    {
        var (was, read) = (stored.EnumerateArray().ToArray(), loaded.EnumerateArray().ToArray());
        var isSameLength = now.GetArrayLength() == read.Length;
        var isTaken = new bool[read.Length];
        writer.WriteStartArray();
        var at = 0;
        foreach (var element in now.EnumerateArray())
        {
            var from = element.ValueKind is JsonValueKind.Object or JsonValueKind.Array
                ? Find(read, isTaken, element, at)
                : -1;
            if (from < 0 && isSameLength && !isTaken[at])
                from = at;
            if (from >= 0)
            {
                isTaken[from] = true;
                Write(writer, was[from], read[from], element);
            }
            else
            {
                Raw(writer, element);
            }

            at++;
        }

        writer.WriteEndArray();
    }

    private static int Find(JsonElement[] elements, bool[] isTaken, JsonElement element, int likely)
    {
        if (likely < elements.Length && !isTaken[likely] && JsonElement.DeepEquals(elements[likely], element))
            return likely;
        for (var i = 0; i < elements.Length; i++)
        {
            if (!isTaken[i] && JsonElement.DeepEquals(elements[i], element))
                return i;
        }

        return -1;
    }

    private static void Raw(Utf8JsonWriter writer, JsonElement value) => value.WriteTo(writer);
}
