using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Makes the attachment trees of a salvaged database agree: an attachment stays if its document lives and its content
/// is whole; the others are reported.
/// </summary>
internal sealed class AttachmentRebuild(StorageEnvironment storage, string name)
{
    internal async Task RunAsync(List<string> notes, CancellationToken ct)
    {
        var kept = new Dictionary<string, long>(StringComparer.Ordinal);
        var lost = new List<byte[]>();
        var documents = new HashSet<string>(StringComparer.Ordinal);
        using (var read = storage.BeginRead())
            Look(read, kept, lost, documents, notes, ct);
        await storage
            .WriteAsync(
                transaction =>
                {
                    foreach (var key in lost)
                        transaction.CreateTree(DatabaseTrees.Attachments).Delete(key);
                    new AttachmentContents(transaction, name).DropUploads();
                    CountAgain(transaction, kept);
                    foreach (var id in documents)
                        Mark(transaction, Encoding.UTF8.GetBytes(id));
                },
                ct
            )
            .ConfigureAwait(false);
    }

    private void Look(
        ReadTransaction read,
        Dictionary<string, long> kept,
        List<byte[]> lost,
        HashSet<string> documents,
        List<string> notes,
        CancellationToken ct
    )
    {
        if (!read.TryOpenTree(DatabaseTrees.Attachments, out var tree))
            return;
        var ids = read.TryOpenTree(DatabaseTrees.Ids, out var found) ? found : null;
        var contents = read.TryOpenTree(DatabaseTrees.AttachmentContents, out found) ? found : null;
        var parts = read.TryOpenTree(DatabaseTrees.AttachmentParts, out found) ? found : null;
        using var cursor = tree.OpenCursor();
        for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            ct.ThrowIfCancellationRequested();
            var end = cursor.Key.IndexOf((byte)0);
            var id = Encoding.UTF8.GetString(cursor.Key[..Math.Max(end, 0)]);
            try
            {
                var record = new AttachmentRecord(cursor.Value, name);
                var hash = Convert.ToBase64String(record.Hash);
                var stays =
                    end > 0
                    && ids is not null
                    && ids.TryGet(cursor.Key[..end], out var entry)
                    && !new IdEntry(entry, name).IsDeleted
                    && (
                        kept.ContainsKey(hash)
                        || (
                            contents is not null
                            && contents.TryGet(record.Hash, out var value)
                            && AttachmentParts.Matches(parts, ContentEntry.Read(value, name), record.Hash)
                        )
                    );
                if (stays)
                {
                    kept[hash] = kept.GetValueOrDefault(hash) + 1;
                    documents.Add(id);
                    continue;
                }

                notes.Add($"the attachment '{record.Name}' of '{id}' is lost");
            }
            catch (DatabaseCorruptException)
            {
                notes.Add($"an attachment of '{id}' is lost");
            }

            lost.Add(cursor.Key.ToArray());
        }
    }

    private void CountAgain(WriteTransaction transaction, Dictionary<string, long> kept)
    {
        var contents = transaction.CreateTree(DatabaseTrees.AttachmentContents);
        var unused = new List<byte[]>();
        using (var cursor = contents.OpenCursor())
        {
            for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            {
                if (!kept.ContainsKey(Convert.ToBase64String(cursor.Key)))
                    unused.Add(cursor.Key.ToArray());
            }
        }

        foreach (var hash in unused)
            contents.Delete(hash);
        foreach ((var hash, var references) in kept)
        {
            var key = Convert.FromBase64String(hash);
            if (!contents.TryGet(key, out var value))
                continue;
            var entry = ContentEntry.Read(value, name) with { References = references };
            entry.Write(contents.Reserve(key, ContentEntry.Bytes));
        }

        var parts = new HashSet<long>();
        using (var cursor = contents.OpenCursor())
        {
            for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                parts.Add(ContentEntry.Read(cursor.Value, name).Number);
        }

        new AttachmentContents(transaction, name).DropPartsBut(parts);
    }

    private void Mark(WriteTransaction transaction, byte[] idKey)
    {
        var ids = transaction.CreateTree(DatabaseTrees.Ids);
        if (!ids.TryGet(idKey, out var value))
            return;
        var entry = value.ToArray();
        IdEntry.Write(
            entry,
            new IdEntry(value, name).Position,
            DocumentRecord.Attached,
            new IdEntry(value, name).CollectionId
        );
        ids.Put(idKey, entry);
    }
}
