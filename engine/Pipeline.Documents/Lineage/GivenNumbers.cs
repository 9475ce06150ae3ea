using System.Text;
using System.Text.Json.Nodes;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The counters that ids are made from. A restored or copied database does not know which numbers were assigned since
/// the backup. Each counter therefore skips a margin when a lineage begins. An id that only other systems still know is
/// not assigned again, unless more than the margin were assigned.
/// </summary>
internal static class GivenNumbers
{
    /// <summary>For identities, which people see.</summary>
    internal const long IdentityMargin = 1 << 20;

    /// <summary>For HiLo ranges: 16 of the largest.</summary>
    internal const long HiLoMargin = 1 << 24;

    private const string HiLoPrefix = "Raven/Hilo/";

    /// <summary>Raises identities and HiLo documents, within the transaction that begins a lineage.</summary>
    internal static DocumentTransaction Raise(DocumentStorage database, WriteTransaction storage)
    {
        foreach (
            var key in Keys(
                storage.CreateTree(DatabaseTrees.Meta),
                Encoding.UTF8.GetBytes(DatabaseSnapshot.IdentityPrefix)
            )
        )
        {
            MetaCounter.Move(storage, key, static last => Above(last, IdentityMargin));
        }

        var transaction = new DocumentTransaction(database, storage);
        try
        {
            foreach (var key in Keys(storage.CreateTree(DatabaseTrees.Ids), DocumentKeys.LowerPrefix(HiLoPrefix)))
            {
                if (transaction.TryGet(Encoding.UTF8.GetString(key).TrimEnd('\0'), out var document))
                    Raise(transaction, document);
            }
        }
        finally
        {
            transaction.End();
        }

        return transaction;
    }

    private static void Raise(DocumentTransaction transaction, Document document)
    {
        if (
            !document.Body.Root.TryGetProperty("Max"u8, out var max)
            || !max.TryGetInt64(out var last)
            || JsonNode.Parse(document.ToString()) is not JsonObject json
        )
        {
            return;
        }

        json["Max"] = Above(last, HiLoMargin);
        transaction.Put(document.Id, Encoding.UTF8.GetBytes(json.ToJsonString()));
    }

    private static long Above(long last, long margin) => last > long.MaxValue - margin ? last : last + margin;

    private static List<byte[]> Keys(Tree tree, byte[] prefix)
    {
        var keys = new List<byte[]>();
        using var cursor = tree.OpenCursor();
        for (var any = cursor.Seek(prefix); any && cursor.Key.StartsWith(prefix); any = cursor.MoveNext())
            keys.Add(cursor.Key.ToArray());
        return keys;
    }
}
