using System.Buffers;
using System.Globalization;
using System.Text;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks what the trees of replaced versions must say of each other, and that each version can be read to its end.
/// </summary>
internal sealed class RevisionCheck(
    OfflineStore store,
    string name,
    DocumentBodies bodies,
    Transaction transaction,
    Action<string?, long?, string> add
)
{
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly Dictionary<int, long> _counts = [];
    private Tree? _documents;
    private Tree? _current;
    private byte[] _idKey = [];
    private long _ordinal;

    internal void Walk(CancellationToken ct)
    {
        var records = store.OpenTree(DatabaseTrees.Revisions);
        var ids = store.OpenTree(DatabaseTrees.RevisionIds);
        _documents = store.OpenTree(DatabaseTrees.Documents);
        _current = store.OpenTree(DatabaseTrees.Ids);
        var whole = true;
        long seen = 0;
        store.Scan(
            DatabaseTrees.Revisions,
            (key, value) =>
            {
                seen++;
                if (key.Length != DocumentKeys.PositionBytes)
                    add(null, null, $"a key of tree 'revisions' has {key.Length} bytes, not 8");
                else
                    CheckRecord(key, value, ids);
            },
            _ => whole = false,
            ct
        );
        store.Scan(DatabaseTrees.RevisionIds, (key, value) => CheckEntry(key, value, records), _ => whole = false, ct);
        if (!whole)
            return;
        if ((ids?.Count ?? 0) != seen)
            add(null, null, $"tree 'revision-ids' counts {ids?.Count ?? 0} versions, {seen} are there");
        foreach (var tree in store.TreeNames())
        {
            if (
                !tree.StartsWith("revisions/", StringComparison.Ordinal)
                || !int.TryParse(tree.AsSpan("revisions/".Length), CultureInfo.InvariantCulture, out var number)
            )
            {
                continue;
            }

            var count = store.OpenTree(tree)!.Count;
            if (count != _counts.GetValueOrDefault(number))
            {
                add(
                    null,
                    null,
                    $"tree '{tree}' counts {count} versions, {_counts.GetValueOrDefault(number)} are there"
                );
            }
        }
    }

    private void CheckRecord(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, Tree? ids)
    {
        var position = DocumentKeys.ReadPosition(key);
        string? id = null;
        try
        {
            var record = new DocumentRecord(value, name);
            id = Encoding.UTF8.GetString(record.Id);
            _counts[record.CollectionId] = _counts.GetValueOrDefault(record.CollectionId) + 1;
            if (store.OpenTree(DatabaseTrees.RevisionsOf(record.CollectionId))?.Contains(key) != true)
                add(id, position, $"the version is missing in tree '{DatabaseTrees.RevisionsOf(record.CollectionId)}'");
            var entry = new byte[RevisionKeys.MaxBytes];
            if (
                ids?.Contains(entry.AsSpan(0, RevisionKeys.Write(entry, DocumentKeys.LowerPrefix(id), position)))
                != true
            )
            {
                add(id, position, "the version is not found by its id");
            }

            if (_current?.Contains(DocumentKeys.LowerPrefix(id)) != true)
                add(id, position, "the version's document is unknown: neither it nor its deletion exists");
            if (record.IsDeleted)
                // A deletion may also stay with the documents, as the tombstone in a collection that the document has
                // left since.
                return;
            if (_documents?.Contains(key) == true)
                add(id, position, "the version is among the replaced ones, and the documents have it too");
            _text.ResetWrittenCount();
            new BinaryJson(bodies.ToArray(transaction, record)).WriteTo(_text);
        }
        catch (Exception e) when (e is BinaryJsonCorruptException or DatabaseCorruptException or CorruptPageException)
        {
            add(id, position, $"the version cannot be read: {e.Message}");
        }
    }

    private void CheckEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, Tree? records)
    {
        if (key.Length <= RevisionKeys.TailBytes || value.Length != RevisionEntry.Bytes)
        {
            add(
                null,
                null,
                $"the entry {KeyRange.Show(key)} of tree 'revision-ids' has {key.Length} and {value.Length} bytes"
            );
            return;
        }

        var idKey = RevisionKeys.IdKey(key);
        var entry = RevisionEntry.Read(value, name);
        if (!_idKey.AsSpan().SequenceEqual(idKey))
            (_idKey, _ordinal) = (idKey.ToArray(), 0);
        if (entry.Ordinal <= _ordinal)
        {
            add(
                Encoding.UTF8.GetString(idKey),
                RevisionKeys.Position(key),
                $"the version has the number {entry.Ordinal}, the one before it {_ordinal}"
            );
        }

        _ordinal = entry.Ordinal;
        try
        {
            if (records is null || !records.TryGet(key[^DocumentKeys.PositionBytes..], out var bytes))
            {
                add(
                    Encoding.UTF8.GetString(idKey),
                    RevisionKeys.Position(key),
                    "its id refers to the version at this position, which has no record"
                );
            }
            else if (new DocumentRecord(bytes, name).CollectionId != entry.CollectionId)
            {
                add(
                    Encoding.UTF8.GetString(idKey),
                    RevisionKeys.Position(key),
                    $"the version is of collection number {new DocumentRecord(bytes, name).CollectionId}, its id says {entry.CollectionId}"
                );
            }
        }
        catch (Exception e) when (e is DatabaseCorruptException or CorruptPageException)
        {
            // The walk over the versions themselves reports the damage.
        }
    }
}
