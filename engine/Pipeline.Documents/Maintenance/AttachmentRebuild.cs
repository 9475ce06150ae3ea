using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Makes the attachment trees of a salvaged database agree: an attachment stays if its document lives and its content is whole; the others are reported.
/// </summary>
internal sealed class AttachmentRebuild(StorageEnvironment storage, string name)
{
    internal async Task RunAsync(List<string> notes, CancellationToken ct)
    {
        var kept = new Dictionary<string, long>(StringComparer.Ordinal);
        var lost = new List<byte[]>();
        var documents = new HashSet<string>(StringComparer.Ordinal);
        using (ReadTransaction read = storage.BeginRead()) Look(read, kept, lost, documents, notes, ct);
        await storage.WriteAsync(
            transaction =>
            {
                foreach (byte[] key in lost) transaction.CreateTree(DatabaseTrees.Attachments).Delete(key);
                new AttachmentContents(transaction, name).DropUploads();
                CountAgain(transaction, kept);
                foreach (string id in documents) Mark(transaction, Encoding.UTF8.GetBytes(id));
            },
            ct).ConfigureAwait(false);
    }

    private void Look(ReadTransaction read, Dictionary<string, long> kept, List<byte[]> lost, HashSet<string> documents, List<string> notes, CancellationToken ct)
    {
        if (!read.TryOpenTree(DatabaseTrees.Attachments, out Tree? tree)) return;
        Tree? ids = read.TryOpenTree(DatabaseTrees.Ids, out Tree? found) ? found : null;
        Tree? contents = read.TryOpenTree(DatabaseTrees.AttachmentContents, out found) ? found : null;
        Tree? parts = read.TryOpenTree(DatabaseTrees.AttachmentParts, out found) ? found : null;
        using TreeCursor cursor = tree.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            ct.ThrowIfCancellationRequested();
            int end = cursor.Key.IndexOf((byte)0);
            string id = Encoding.UTF8.GetString(cursor.Key[..Math.Max(end, 0)]);
            try
            {
                var record = new AttachmentRecord(cursor.Value, name);
                string hash = Convert.ToBase64String(record.Hash);
                bool stays = end > 0 && ids is not null && ids.TryGet(cursor.Key[..end], out ReadOnlySpan<byte> entry) && !new IdEntry(entry, name).IsDeleted
                    && (kept.ContainsKey(hash)
                        || (contents is not null && contents.TryGet(record.Hash, out ReadOnlySpan<byte> value) && AttachmentParts.Matches(parts, ContentEntry.Read(value, name), record.Hash)));
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
        Tree contents = transaction.CreateTree(DatabaseTrees.AttachmentContents);
        var unused = new List<byte[]>();
        using (TreeCursor cursor = contents.OpenCursor())
        {
            for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            {
                if (!kept.ContainsKey(Convert.ToBase64String(cursor.Key))) unused.Add(cursor.Key.ToArray());
            }
        }

        foreach (byte[] hash in unused) contents.Delete(hash);
        foreach ((string hash, long references) in kept)
        {
            byte[] key = Convert.FromBase64String(hash);
            if (!contents.TryGet(key, out ReadOnlySpan<byte> value)) continue;
            ContentEntry entry = ContentEntry.Read(value, name) with { References = references };
            entry.Write(contents.Reserve(key, ContentEntry.Bytes));
        }

        var parts = new HashSet<long>();
        using (TreeCursor cursor = contents.OpenCursor())
        {
            for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext()) parts.Add(ContentEntry.Read(cursor.Value, name).Number);
        }

        new AttachmentContents(transaction, name).DropPartsBut(parts);
    }

    private void Mark(WriteTransaction transaction, byte[] idKey)
    {
        Tree ids = transaction.CreateTree(DatabaseTrees.Ids);
        if (!ids.TryGet(idKey, out ReadOnlySpan<byte> value)) return;
        byte[] entry = value.ToArray();
        IdEntry.Write(entry, new IdEntry(value, name).Position, DocumentRecord.Attached, new IdEntry(value, name).CollectionId);
        ids.Put(idKey, entry);
    }
}
