using System.Buffers;
using System.Text.Json;

namespace Pipeline.Subscriptions;

/// <summary>How far a subscription or a cursor is, as the database keeps it: JSON, so that a person can read it. Immutable.</summary>
/// <param name="Position">Everything up to here is dealt with.</param>
/// <param name="Ahead">Positions behind it that are dealt with too, ascending.</param>
/// <param name="Again">Positions up to it that are to be given once more.</param>
/// <param name="Held">Keys of which a change is parked and later ones are held, in lower case.</param>
internal sealed record SubscriptionCheckpoint(long Position, IReadOnlyCollection<long> Ahead, IReadOnlyCollection<long> Again, IReadOnlyCollection<string> Held)
{
    private const int Version = 1;

    public static SubscriptionCheckpoint At(long position) => new(position, [], [], []);

    public byte[] ToBytes()
    {
        var buffer = new ArrayBufferWriter<byte>(64);
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        json.WriteNumber("version", Version);
        json.WriteNumber("position", Position);
        WritePositions(json, "ahead", Ahead);
        WritePositions(json, "again", Again);
        if (Held.Count > 0)
        {
            json.WriteStartArray("held");
            foreach (string key in Held) json.WriteStringValue(key);
            json.WriteEndArray();
        }

        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Reads it.</summary>
    /// <exception cref="CursorStateException">The bytes are none, or a newer program's.</exception>
    public static SubscriptionCheckpoint Parse(string name, ReadOnlyMemory<byte> bytes)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(bytes);
            JsonElement root = document.RootElement;
            int version = root.GetProperty("version").GetInt32();
            if (version != Version) throw new CursorStateException(name, $"it has version {version}, this program knows version {Version}");
            return new SubscriptionCheckpoint(
                root.GetProperty("position").GetInt64(),
                Positions(root, "ahead"),
                Positions(root, "again"),
                root.TryGetProperty("held", out JsonElement held) ? [.. held.EnumerateArray().Select(k => k.GetString()!)] : []);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new CursorStateException(name, "it is not a position", e);
        }
    }

    private static void WritePositions(Utf8JsonWriter json, string name, IReadOnlyCollection<long> positions)
    {
        if (positions.Count == 0) return;
        json.WriteStartArray(name);
        foreach (long position in positions) json.WriteNumberValue(position);
        json.WriteEndArray();
    }

    private static long[] Positions(JsonElement root, string name) =>
        root.TryGetProperty(name, out JsonElement array) ? [.. array.EnumerateArray().Select(p => p.GetInt64())] : [];
}
