using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks that the attachment trees agree with each other and with their documents, and that each content matches its
/// hash.
/// </summary>
internal sealed class AttachmentCheck(OfflineStore store, string name, Action<string?, long?, string> add)
{
    private readonly Dictionary<string, long> _references = new(StringComparer.Ordinal);
    private readonly HashSet<long> _numbers = [];

    internal void Walk(CancellationToken ct)
    {
        var ids = store.OpenTree(DatabaseTrees.Ids);
        var parts = store.OpenTree(DatabaseTrees.AttachmentParts);
        var whole = true;
        store.Scan(
            DatabaseTrees.Attachments,
            (key, value) => Guard(key, value, (k, v) => CheckAttachment(k, v, ids)),
            _ => whole = false,
            ct
        );
        store.Scan(
            DatabaseTrees.AttachmentUploads,
            (key, _) =>
                _numbers.Add(key.Length == AttachmentKeys.NumberBytes ? BinaryPrimitives.ReadInt64BigEndian(key) : 0),
            _ => whole = false,
            ct
        );
        store.Scan(
            DatabaseTrees.AttachmentContents,
            (key, value) => Guard(key, value, (k, v) => CheckContent(k, v, parts, whole)),
            _ => whole = false,
            ct
        );
        if (!whole)
            return;
        foreach (var hash in _references.Keys)
            add(null, null, $"attachments have the content {hash}, which is missing");
        store.Scan(
            DatabaseTrees.AttachmentParts,
            (key, _) =>
            {
                if (
                    key.Length != AttachmentKeys.PartBytes
                    || !_numbers.Contains(BinaryPrimitives.ReadInt64BigEndian(key))
                )
                {
                    add(
                        null,
                        null,
                        $"the part {KeyRange.Show(key)} of tree '{DatabaseTrees.AttachmentParts}' belongs to no content"
                    );
                }
            },
            _ => { },
            ct
        );
    }

    /// <summary>Whether a document has attachments.</summary>
    internal static bool HasAny(OfflineStore store, ReadOnlySpan<byte> idKey)
    {
        if (store.OpenTree(DatabaseTrees.Attachments) is not { } tree)
            return false;
        using var cursor = tree.OpenCursor();
        return cursor.Seek(AttachmentKeys.Of(idKey, "")) && AttachmentKeys.IsOf(cursor.Key, idKey);
    }

    private void Guard(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, Action<byte[], byte[]> check)
    {
        try
        {
            check(key.ToArray(), value.ToArray());
        }
        catch (Exception e) when (e is DatabaseCorruptException or CorruptPageException)
        {
            add(null, null, $"the entry {KeyRange.Show(key)} of the attachments cannot be read: {e.Message}");
        }
    }

    private void CheckAttachment(byte[] key, byte[] value, Tree? ids)
    {
        var end = Array.IndexOf(key, (byte)0);
        var record = new AttachmentRecord(value, name);
        var id = Encoding.UTF8.GetString(key.AsSpan(0, Math.Max(end, 0)));
        if (end <= 0 || !AttachmentKeys.Of(key.AsSpan(0, end), record.Name).AsSpan().SequenceEqual(key))
        {
            add(id, record.Position, $"the attachment '{record.Name}' is under another name");
        }
        else if (
            ids is null
            || !ids.TryGet(key.AsSpan(0, end), out var entry)
            || !new IdEntry(entry, name).HasAttachments
        )
        {
            add(id, record.Position, $"it does not know of its attachment '{record.Name}'");
        }

        var hash = Convert.ToBase64String(record.Hash);
        _references[hash] = _references.GetValueOrDefault(hash) + 1;
    }

    private void CheckContent(byte[] key, byte[] value, Tree? parts, bool countsAreKnown)
    {
        var entry = ContentEntry.Read(value, name);
        _numbers.Add(entry.Number);
        var hash = Convert.ToBase64String(key);
        _references.Remove(hash, out var references);
        if (countsAreKnown && references != entry.References)
            add(null, null, $"the content {hash} counts {entry.References} attachments, {references} have it");
        if (!AttachmentParts.Matches(parts, entry, key))
            add(null, null, $"the content {hash} of attachments is damaged: its parts do not have that hash");
    }
}
