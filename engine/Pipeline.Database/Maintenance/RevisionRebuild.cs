using Pipeline.Storage;

namespace Pipeline.Database.Maintenance;

/// <summary>Makes the trees of replaced versions of a salvaged database agree: only what can be read, and found by the id of a document or tombstone, stays.</summary>
internal sealed class RevisionRebuild(StorageEnvironment storage, string name, Func<WriteTransaction, ReadOnlySpan<byte>, bool> canRead)
{
    private const int Batch = 2_000;
    private long _removed;

    internal async Task RunAsync(List<string> notes, CancellationToken ct)
    {
        string[] trees;
        using (ReadTransaction read = storage.BeginRead()) trees = [.. read.TreeNames().Where(t => t.StartsWith("revisions/", StringComparison.Ordinal))];
        foreach (string tree in trees) await storage.WriteAsync(t => t.DropTree(tree), ct).ConfigureAwait(false);
        await EachAsync(DatabaseTrees.Revisions, Record, ct).ConfigureAwait(false);
        await EachAsync(DatabaseTrees.RevisionIds, Entry, ct).ConfigureAwait(false);
        if (_removed > 0) notes.Add($"{_removed} records of versions that others had replaced are lost or lead nowhere");
    }

    private bool Record(WriteTransaction transaction, byte[] key, byte[] value)
    {
        if (key.Length != DocumentKeys.PositionBytes || value.Length < DocumentRecord.HeaderBytes || !transaction.TryOpenTree(DatabaseTrees.RevisionIds, out Tree? entries)) return false;
        DocumentRecord record;
        try
        {
            record = new DocumentRecord(value, name);
        }
        catch (DatabaseCorruptException)
        {
            // Counted with what is removed.
            return false;
        }

        if (record.Id.Length is 0 or > DocumentKeys.MaxIdBytes || !canRead(transaction, value)) return false;
        byte[] idKey = DocumentReading.LowerPrefix(System.Text.Encoding.UTF8.GetString(record.Id));
        byte[] entry = new byte[RevisionKeys.MaxBytes];
        if (!entries.Contains(entry.AsSpan(0, RevisionKeys.Write(entry, idKey, DocumentKeys.ReadPosition(key)))) || !transaction.CreateTree(DatabaseTrees.Ids).Contains(idKey)) return false;
        transaction.CreateTree(DatabaseTrees.RevisionsOf(record.CollectionId)).Put(key, default);
        return true;
    }

    private static bool Entry(WriteTransaction transaction, byte[] key, byte[] value) =>
        key.Length > RevisionKeys.TailBytes && value.Length == RevisionEntry.Bytes
        && transaction.CreateTree(DatabaseTrees.Revisions).Contains(key.AsSpan(key.Length - DocumentKeys.PositionBytes));

    /// <summary>Goes through a tree in bounded transactions and removes what is not to stay.</summary>
    private async Task EachAsync(string tree, Func<WriteTransaction, byte[], byte[], bool> stays, CancellationToken ct)
    {
        byte[]? from = [];
        while (from is not null)
        {
            byte[] start = from;
            (from, long removed) = await storage.WriteAsync(t => Some(t, tree, start, stays), ct).ConfigureAwait(false);
            _removed += removed;
        }
    }

    private static (byte[]? Next, long Removed) Some(WriteTransaction transaction, string name, byte[] from, Func<WriteTransaction, byte[], byte[], bool> stays)
    {
        if (!transaction.TryOpenTree(name, out Tree? tree)) return (null, 0);
        var some = new List<(byte[] Key, byte[] Value)>(Batch);
        byte[]? next = null;
        using (TreeCursor cursor = tree.OpenCursor())
        {
            for (bool any = cursor.Seek(from); any; any = cursor.MoveNext())
            {
                if (some.Count == Batch)
                {
                    next = cursor.Key.ToArray();
                    break;
                }

                some.Add((cursor.Key.ToArray(), cursor.Value.ToArray()));
            }
        }

        long removed = 0;
        foreach ((byte[] key, byte[] value) in some)
        {
            if (stays(transaction, key, value)) continue;
            transaction.CreateTree(name).Delete(key);
            removed++;
        }

        return (next, removed);
    }
}
