using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// Ranges of numbers from which clients make ids without a request for each (HiLo). A document <c>Raven/Hilo/TAG</c>
/// holds the last number.
/// </summary>
public static class IdRanges
{
    private const string Prefix = "Raven/Hilo/";

    /// <summary>Takes the next range. Two calls never get the same number.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="tag">Whose ids they are: <c>orders</c>.</param>
    /// <param name="size">How many numbers.</param>
    /// <param name="least">The range begins above this number.</param>
    /// <returns>What the ids begin with, where the document says so, and the range's first number.</returns>
    public static (string? Prefix, long Low) Take(
        DocumentTransaction transaction,
        string tag,
        long size,
        long least = 0
    )
    {
        ArgumentNullException.ThrowIfNull(transaction);
        ArgumentException.ThrowIfNullOrEmpty(tag);
        ArgumentOutOfRangeException.ThrowIfLessThan(size, 1);
        var (max, prefix) = Read(transaction, tag);
        var low = Math.Max(max, least) + 1;
        Store(transaction, tag, low + size - 1);
        return (prefix, low);
    }

    /// <summary>Returns the end of a range, if no other range was reserved since.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="tag">Whose ids they are.</param>
    /// <param name="high">The range's last number.</param>
    /// <param name="used">The last number that was used.</param>
    public static void Return(DocumentTransaction transaction, string tag, long high, long used)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        ArgumentException.ThrowIfNullOrEmpty(tag);
        if (Read(transaction, tag).Max == high && used < high)
            Store(transaction, tag, used);
    }

    private static (long Max, string? Prefix) Read(DocumentTransaction transaction, string tag)
    {
        if (!transaction.TryGet(Prefix + tag, out var document))
            return (0, null);
        var root = document.Body.Root;
        return (
            root.TryGetProperty("Max"u8, out var max) && max.TryGetInt64(out var value) ? value : 0,
            root.TryGetProperty("Prefix"u8, out var prefix) && prefix.Kind == JsonKind.String
                ? prefix.GetString()
                : null
        );
    }

    /// <summary>Sets the last number; other properties that people wrote into the document stay.</summary>
    private static void Store(DocumentTransaction transaction, string tag, long max)
    {
        var document =
            transaction.TryGet(Prefix + tag, out var known) && JsonNode.Parse(known.ToString()) is JsonObject json
                ? json
                : [];
        document["Max"] = max;
        if (document["@metadata"] is not JsonObject metadata)
            document["@metadata"] = metadata = [];
        if (known is null or { Collection: Document.EmptyCollection })
            metadata["@collection"] = "@hilo";
        transaction.Put(Prefix + tag, JsonSerializer.SerializeToUtf8Bytes(document));
    }
}
