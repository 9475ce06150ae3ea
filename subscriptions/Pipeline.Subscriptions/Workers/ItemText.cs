using System.Buffers;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>What a subscription gives, as JSON text.</summary>
internal static class ItemText
{
    /// <summary>
    /// A version with the one before: <c>{"Current":…,"Previous":…,"@metadata":…}</c>. Both have their metadata; the pair's is that of the change, with <c>"@previous":"unknown"</c> where the
    /// version before is not known.
    /// </summary>
    public static void WritePair(DatabaseSnapshot snapshot, in Change change, Document? previous, bool isKnown, IBufferWriter<byte> target)
    {
        target.Write("{\"Current\":"u8);
        if (change.IsDeleted) target.Write("null"u8);
        else snapshot.WriteJson(change, target);
        target.Write(",\"Previous\":"u8);
        WriteOrNull(previous, target);
        target.Write(",\"@metadata\":"u8);

        // Without its body a change is written as its metadata alone: {"@metadata":{…}}.
        var alone = new ArrayBufferWriter<byte>();
        snapshot.WriteJson(change with { Body = default }, alone);
        ReadOnlySpan<byte> text = alone.WrittenSpan;
        text = text["{\"@metadata\":".Length..^2];
        target.Write(text);
        if (!isKnown) target.Write(",\"@previous\":\"unknown\""u8);
        target.Write("}}"u8);
    }

    /// <summary>What is included: <c>{"@includes":{"companies/1":…}}</c>, null for what is missing. Nothing where nothing is.</summary>
    public static void WriteIncludes(IReadOnlyDictionary<string, Document?> includes, IBufferWriter<byte> target)
    {
        if (includes.Count == 0) return;
        target.Write("{\"@includes\":{"u8);
        bool isFirst = true;
        foreach ((string id, Document? document) in includes)
        {
            if (!isFirst) target.Write(","u8);
            isFirst = false;
            target.Write(System.Text.Encoding.UTF8.GetBytes(System.Text.Json.JsonSerializer.Serialize(id)));
            target.Write(":"u8);
            WriteOrNull(document, target);
        }

        target.Write("}}"u8);
    }

    private static void WriteOrNull(Document? document, IBufferWriter<byte> target)
    {
        if (document is null) target.Write("null"u8);
        else document.WriteJson(target);
    }
}
