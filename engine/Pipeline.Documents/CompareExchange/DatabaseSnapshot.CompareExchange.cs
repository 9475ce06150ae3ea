using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>
    /// The index of the last change of any compare-exchange value, deletions included; 0 if there was none.
    /// </summary>
    public long LastCompareExchangeIndex
    {
        get
        {
            CheckOpen();
            return MetaCounter.Read(_transaction, "compare-exchange"u8);
        }
    }

    /// <summary>The compare-exchange value under a key.</summary>
    /// <param name="key">The key, in any case.</param>
    /// <returns>The value; null if there is none.</returns>
    public CompareExchangeValue? GetCompareExchange(string key)
    {
        CheckOpen();
        return CompareExchangeEntry.Find(_transaction, key, _database.Name);
    }

    /// <summary>The compare-exchange values whose keys begin with a text, in order of the keys in lower case.</summary>
    /// <param name="prefix">The prefix of the keys, in any case; empty for all.</param>
    /// <returns>The values, each read when it is asked for.</returns>
    public IEnumerable<CompareExchangeValue> GetCompareExchangeByPrefix(string prefix)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        CheckOpen();
        return _transaction.TryOpenTree(DatabaseTrees.CompareExchange, out var tree)
            ? ReadCompareExchange(tree, DocumentKeys.LowerPrefix(prefix))
            : [];
    }

    private IEnumerable<CompareExchangeValue> ReadCompareExchange(Tree tree, byte[] prefix)
    {
        using var cursor = tree.OpenCursor();
        for (var any = cursor.Seek(prefix); any && cursor.Key.StartsWith(prefix); any = cursor.MoveNext())
        {
            CheckOpen();
            yield return CompareExchangeEntry.Read(cursor.Value, _database.Name);
        }
    }
}
