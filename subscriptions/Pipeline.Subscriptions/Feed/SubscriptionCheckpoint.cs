using System.Buffers;
using System.Text.Json;

namespace Pipeline.Subscriptions;

/// <summary>
/// How far a subscription or cursor has got, as stored in the database: human-readable JSON. Immutable.
/// </summary>
/// <param name="Position">Everything up to here is settled.</param>
/// <param name="Ahead">Settled ranges after the position, ascending.</param>
/// <param name="Again">Positions up to it that must be delivered again.</param>
/// <param name="Held">Keys, in lower case, that have a parked change and whose later changes are held.</param>
internal sealed record SubscriptionCheckpoint(
    long Position,
    IReadOnlyList<DoneRange> Ahead,
    IReadOnlyCollection<long> Again,
    IReadOnlyCollection<string> Held
)
{
    private const int Version = 1;

    /// <summary>The resync in progress or waiting for a worker; null if there is none.</summary>
    public ResyncState? Resync { get; init; }

    public static SubscriptionCheckpoint At(long position) => new(position, [], [], []);

    public byte[] ToBytes()
    {
        var buffer = new ArrayBufferWriter<byte>(64);
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        json.WriteNumber("version", Version);
        json.WriteNumber("position", Position);
        WriteRanges(json, Ahead);
        WritePositions(json, "again", Again);
        if (Held.Count > 0)
        {
            json.WriteStartArray("held");
            foreach (var key in Held)
                json.WriteStringValue(key);
            json.WriteEndArray();
        }

        if (Resync is { } resync)
        {
            // The database reads this: the position after which tombstones must be kept.
            if (resync.Through is { } through)
                json.WriteNumber("keepAfter", through);
            else
                json.WriteNull("keepAfter");
            json.WriteStartObject("resync");
            if (resync.Through is { } snapshot)
                json.WriteNumber("through", snapshot);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Parses a stored checkpoint.</summary>
    /// <exception cref="CursorStateException">
    /// The bytes are not a checkpoint, or a newer version wrote them.
    /// </exception>
    public static SubscriptionCheckpoint Parse(string name, ReadOnlyMemory<byte> bytes)
    {
        try
        {
            using var document = JsonDocument.Parse(bytes);
            var root = document.RootElement;
            var version = root.GetProperty("version").GetInt32();
            if (version != Version)
            {
                throw new CursorStateException(
                    name,
                    $"it has version {version}, but this program supports version {Version}"
                );
            }
            return new SubscriptionCheckpoint(
                root.GetProperty("position").GetInt64(),
                Ranges(root),
                Positions(root, "again"),
                root.TryGetProperty("held", out var held) ? [.. held.EnumerateArray().Select(k => k.GetString()!)] : []
            )
            {
                Resync = root.TryGetProperty("resync", out var resync)
                    ? new ResyncState(resync.TryGetProperty("through", out var through) ? through.GetInt64() : null)
                    : null,
            };
        }
        catch (Exception e)
            when (e
                    is JsonException
                        or KeyNotFoundException
                        or InvalidOperationException
                        or FormatException
                        or IndexOutOfRangeException
            )
        {
            throw new CursorStateException(name, "it is not a position", e);
        }
    }

    /// <summary>Writes a range of one position as that position, and others as pairs.</summary>
    private static void WriteRanges(Utf8JsonWriter json, IReadOnlyList<DoneRange> ranges)
    {
        if (ranges.Count == 0)
            return;
        json.WriteStartArray("ahead");
        foreach (var range in ranges)
        {
            if (range.From < range.To)
                json.WriteStartArray();
            json.WriteNumberValue(range.From);
            if (range.From == range.To)
                continue;
            json.WriteNumberValue(range.To);
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    private static DoneRange[] Ranges(JsonElement root) =>
        !root.TryGetProperty("ahead", out var array)
            ? []
            :
            [
                .. array
                    .EnumerateArray()
                    .Select(r =>
                        r.ValueKind == JsonValueKind.Array
                            ? new DoneRange(r[0].GetInt64(), r[1].GetInt64())
                            : new DoneRange(r.GetInt64(), r.GetInt64())
                    ),
            ];

    private static void WritePositions(Utf8JsonWriter json, string name, IReadOnlyCollection<long> positions)
    {
        if (positions.Count == 0)
            return;
        json.WriteStartArray(name);
        foreach (var position in positions)
            json.WriteNumberValue(position);
        json.WriteEndArray();
    }

    private static long[] Positions(JsonElement root, string name) =>
        root.TryGetProperty(name, out var array) ? [.. array.EnumerateArray().Select(p => p.GetInt64())] : [];
}
