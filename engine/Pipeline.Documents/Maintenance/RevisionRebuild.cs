using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Makes the trees of former versions of a salvaged database agree. A version stays if it can be read and found by the
/// id of a document or tombstone.
/// </summary>
internal sealed class RevisionRebuild(
    StorageEnvironment storage,
    string name,
    Func<WriteTransaction, ReadOnlySpan<byte>, bool> canRead
)
{
    private readonly TreeSweep _sweep = new(storage);

    internal async Task RunAsync(List<string> notes, CancellationToken ct)
    {
        string[] trees;
        using (var read = storage.BeginRead())
            trees = [.. read.TreeNames().Where(t => t.StartsWith("revisions/", StringComparison.Ordinal))];
        foreach (var tree in trees)
            await storage.WriteAsync(t => t.DropTree(tree), ct).ConfigureAwait(false);
        await _sweep.EachAsync(DatabaseTrees.Revisions, Record, ct).ConfigureAwait(false);
        await _sweep.EachAsync(DatabaseTrees.RevisionIds, Entry, ct).ConfigureAwait(false);
        if (_sweep.Removed > 0)
            notes.Add($"{_sweep.Removed} records of versions that others had replaced are lost or lead nowhere");
    }

    private bool Record(WriteTransaction transaction, byte[] key, byte[] value)
    {
        if (
            key.Length != DocumentKeys.PositionBytes
            || value.Length < DocumentRecord.HeaderBytes
            || !transaction.TryOpenTree(DatabaseTrees.RevisionIds, out var entries)
        )
        {
            return false;
        }

        DocumentRecord record;
        try
        {
            record = new DocumentRecord(value, name);
        }
        catch (DatabaseCorruptException)
        {
            // The sweep removes the entry and counts it.
            return false;
        }

        if (record.Id.Length is 0 or > DocumentKeys.MaxIdBytes || !canRead(transaction, value))
            return false;
        var idKey = DocumentKeys.LowerPrefix(System.Text.Encoding.UTF8.GetString(record.Id));
        var entry = new byte[RevisionKeys.MaxBytes];
        if (
            !entries.Contains(entry.AsSpan(0, RevisionKeys.Write(entry, idKey, DocumentKeys.ReadPosition(key))))
            || !transaction.CreateTree(DatabaseTrees.Ids).Contains(idKey)
        )
        {
            return false;
        }

        transaction.CreateTree(DatabaseTrees.RevisionsOf(record.CollectionId)).Put(key, default);
        return true;
    }

    private static bool Entry(WriteTransaction transaction, byte[] key, byte[] value) =>
        key.Length > RevisionKeys.TailBytes
        && value.Length == RevisionEntry.Bytes
        && transaction
            .CreateTree(DatabaseTrees.Revisions)
            .Contains(key.AsSpan(key.Length - DocumentKeys.PositionBytes));
}
