using Pipeline.Json;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>Sets a value, if it has not changed since it was read.</summary>
    /// <param name="key">The key: 1 to 512 bytes of UTF-8, the same in any case.</param>
    /// <param name="value">The value.</param>
    /// <param name="expectedIndex">The index that it must have; 0: there must be none.</param>
    /// <returns>Whether it was set, and the current value.</returns>
    public CompareExchangeResult PutCompareExchange(string key, BinaryJson value, long expectedIndex)
    {
        CheckOpen();
        var treeKey = CompareExchangeEntry.TreeKey(key);
        var current = GetCompareExchange(key);
        if ((current?.Index ?? 0) != expectedIndex)
            return new CompareExchangeResult(false, current?.Index ?? 0, current);
        var next = new CompareExchangeValue(key, NextCompareExchangeIndex(), value);
        _transaction.CreateTree(DatabaseTrees.CompareExchange).Put(treeKey, CompareExchangeEntry.ToBytes(next));
        return new CompareExchangeResult(true, next.Index, next);
    }

    /// <summary>Deletes a value, if it has not changed since it was read.</summary>
    /// <param name="key">The key, in any case.</param>
    /// <param name="expectedIndex">The index that it must have.</param>
    /// <returns>Whether the value is gone; a missing value counts as deleted.</returns>
    public CompareExchangeResult DeleteCompareExchange(string key, long expectedIndex)
    {
        CheckOpen();
        var current = GetCompareExchange(key);
        if (current is null)
            return new CompareExchangeResult(true, 0, null);
        if (current.Index != expectedIndex)
            return new CompareExchangeResult(false, current.Index, current);
        _transaction.CreateTree(DatabaseTrees.CompareExchange).Delete(CompareExchangeEntry.TreeKey(key));
        return new CompareExchangeResult(true, NextCompareExchangeIndex(), current);
    }

    /// <summary>The value under a key as this transaction sees it.</summary>
    /// <param name="key">The key, in any case.</param>
    /// <returns>The value; null if there is none.</returns>
    public CompareExchangeValue? GetCompareExchange(string key)
    {
        CheckOpen();
        return CompareExchangeEntry.Find(_transaction, key, _database.Name);
    }

    private long NextCompareExchangeIndex() => MetaCounter.Next(_transaction, "compare-exchange"u8);
}
