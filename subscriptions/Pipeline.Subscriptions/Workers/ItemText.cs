using System.Buffers;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>Writes what a subscription delivers as JSON text.</summary>
internal static class ItemText
{
    /// <summary>
    /// A version with the one before it: <c>{"Current":…,"Previous":…,"@metadata":…}</c>. Both have their metadata. The
    /// pair's metadata is the change's, with
    /// <c>"@previous":"unknown"</c> if the version before it is unknown.
    /// </summary>
    public static void WritePair(
        DatabaseSnapshot snapshot,
        in Change change,
        Document? previous,
        bool isKnown,
        IBufferWriter<byte> target
    )
    {
        target.Write("{\"Current\":"u8);
        if (change.IsDeleted)
            target.Write("null"u8);
        else
            snapshot.WriteJson(change, target);
        target.Write(",\"Previous\":"u8);
        WriteOrNull(previous, target);
        target.Write(",\"@metadata\":"u8);

        // A change without its body is written as its metadata only: {"@metadata":{…}}.
        var alone = new ArrayBufferWriter<byte>();
        snapshot.WriteJson(change with { Body = default }, alone);
        var text = alone.WrittenSpan;
        text = text["{\"@metadata\":".Length..^2];
        target.Write(text);
        if (!isKnown)
            target.Write(",\"@previous\":\"unknown\""u8);
        target.Write("}}"u8);
    }

    /// <summary>
    /// Writes the included documents: <c>{"@includes":{"companies/1":…}}</c>, with null for missing ones. Writes
    /// nothing if there are none.
    /// </summary>
    public static void WriteIncludes(IReadOnlyDictionary<string, Document?> includes, IBufferWriter<byte> target)
    {
        if (includes.Count == 0)
            return;
        target.Write("{\"@includes\":{"u8);
        var isFirst = true;
        foreach ((var id, var document) in includes)
        {
            if (!isFirst)
                target.Write(","u8);
            isFirst = false;
            target.Write(System.Text.Encoding.UTF8.GetBytes(System.Text.Json.JsonSerializer.Serialize(id)));
            target.Write(":"u8);
            WriteOrNull(document, target);
        }

        target.Write("}}"u8);
    }

    private static void WriteOrNull(Document? document, IBufferWriter<byte> target)
    {
        if (document is null)
            target.Write("null"u8);
        else
            document.WriteJson(target);
    }
}
