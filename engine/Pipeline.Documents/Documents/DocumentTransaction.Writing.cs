using System.Buffers.Binary;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>Stores a document; see <see cref="DocumentStorage.PutAsync"/>.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="utf8Json">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>What was made.</returns>
    public PutResult Put(string? id, ReadOnlySpan<byte> utf8Json, string? expectedChangeVector = null) =>
        Put(id, DocumentDraft.Parse(utf8Json, _database.Limits), expectedChangeVector);

    /// <summary>Stores a document; see <see cref="DocumentStorage.PutAsync"/>.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="document">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <param name="keepsFormer">
    /// Whether the version that it replaces is kept also where the collection keeps none; there must be one then.
    /// </param>
    /// <returns>What was made.</returns>
    /// <exception cref="InvalidOperationException">There is no version to keep.</exception>
    public PutResult Put(
        string? id,
        DocumentDraft document,
        string? expectedChangeVector = null,
        bool keepsFormer = false
    )
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(document);
        var collection = MetadataRules.CollectionOf(document.Collection);
        var actualId = ResolveId(id ?? document.Id);
        Span<byte> utf8Id = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8Id = utf8Id[..DocumentKeys.EncodeId(actualId, utf8Id)];
        var number = CollectionNumber(collection);
        var position = PutRecord(
            utf8Id,
            actualId,
            number,
            document.Body.Data.Span,
            expectedChangeVector,
            document.ListsAttachments,
            keepsFormer
        );
        return new PutResult(
            actualId,
            CollectionName(number),
            position,
            MetadataRules.ChangeVectorOf(position, _database.IdText),
            new DateTimeOffset(_ticks, TimeSpan.Zero)
        );
    }

    /// <summary>Stores a document that lies in a buffer.</summary>
    internal void Put(string? id, string collection, ReadOnlySpan<byte> body, bool listsAttachments)
    {
        var actualId = ResolveId(id);
        Span<byte> utf8Id = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8Id = utf8Id[..DocumentKeys.EncodeId(actualId, utf8Id)];
        PutRecord(utf8Id, actualId, CollectionNumber(collection), body, null, listsAttachments);
    }

    /// <summary>Deletes a document and leaves a tombstone in the change feed.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="ConcurrencyException">The stored version is another one, or there is none.</exception>
    public bool Delete(string id, string? expectedChangeVector = null)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(id);
        Span<byte> utf8Id = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8Id = utf8Id[..DocumentKeys.EncodeId(id, utf8Id)];
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        key = key[..DocumentKeys.LowerKey(utf8Id, key)];
        var known = _ids.TryGet(key, out var value);
        var entry = known ? new IdEntry(value, _database.Name) : default;
        var exists = known && !entry.IsDeleted;
        CheckExpected(id, expectedChangeVector, exists ? entry.Position : null);
        if (!exists)
            return false;
        var before = Changes;
        try
        {
            DeleteRecord(key, id, entry);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }

        return true;
    }

    private void DeleteRecord(ReadOnlySpan<byte> key, string id, IdEntry entry)
    {
        var old = entry.Position;
        var number = entry.CollectionId;
        var formers = entry.Formers.ToArray();
        Span<byte> oldKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(oldKey, old);

        if (entry.HasAttachments)
            DetachAll(key, id);

        // The tombstone keeps the document's own spelling of the id, not the caller's.
        if (!_documents.TryGet(oldKey, out var record))
            throw Missing(old, id);
        var stored = new DocumentRecord(record, _database.Name).Id;
        Span<byte> utf8Id = stackalloc byte[stored.Length];
        stored.CopyTo(utf8Id);
        var isKept = Revisions?.Keep(key, number, old, record, LastPosition + 1) == true;
        _documents.Delete(oldKey);
        Live(number).Delete(oldKey);
        var position = AppendTombstone(number, DocumentRecord.Deleted, utf8Id);
        var target = _ids.Reserve(key, IdEntry.FixedBytes + formers.Length);
        IdEntry.Write(target, position, DocumentRecord.Deleted, number);
        formers.CopyTo(target[IdEntry.FixedBytes..]);
        if (Revisions is { } revisions && (isKept || revisions.PurgesOnDelete(number)))
            revisions.Trim(key, number, isDeleted: true);
    }

    /// <param name="utf8Id">The id in the form that is written.</param>
    /// <param name="id">The same id as text; null if the caller does not have it.</param>
    /// <param name="number">The collection.</param>
    /// <param name="body">The document.</param>
    /// <param name="expected">The version that must be there: null any, empty none.</param>
    /// <param name="listsAttachments">
    /// Whether the body may list attachments in its metadata, which then is made true.
    /// </param>
    /// <param name="keepsFormer">Whether the version that it replaces is kept in any case.</param>
    private long PutRecord(
        ReadOnlySpan<byte> utf8Id,
        string? id,
        int number,
        ReadOnlySpan<byte> body,
        string? expected,
        bool listsAttachments,
        bool keepsFormer = false
    )
    {
        var before = Changes;
        try
        {
            return WriteRecord(utf8Id, id, number, body, expected, listsAttachments, keepsFormer);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }
    }

    private long WriteRecord(
        ReadOnlySpan<byte> utf8Id,
        string? id,
        int number,
        ReadOnlySpan<byte> body,
        string? expected,
        bool listsAttachments,
        bool keepsFormer
    )
    {
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        key = key[..DocumentKeys.LowerKey(utf8Id, key)];
        byte[]? formers = null;
        byte replaces = 0;
        var isKept = false;
        if (_ids.TryGet(key, out var value))
        {
            var entry = new IdEntry(value, _database.Name);
            if (expected is not null)
                CheckExpected(id ?? Encoding.UTF8.GetString(utf8Id), expected, entry.IsDeleted ? null : entry.Position);
            if (!entry.IsDeleted)
                replaces = DocumentRecord.Replaces;
            listsAttachments |= entry.HasAttachments;
            if (Revisions is { } revisions)
                isKept = KeepFormer(revisions, key, entry, number);
            if (keepsFormer && !isKept)
                KeepForced(key, entry, number, id);
            formers = Supersede(entry, number);
        }
        else if (expected is not null)
        {
            CheckExpected(id ?? Encoding.UTF8.GetString(utf8Id), expected, null);
        }
        else if (keepsFormer)
        {
            throw NothingToKeep(id);
        }

        var position = ++LastPosition;
        Span<byte> positionKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(positionKey, position);
        byte attached = 0;
        if (listsAttachments)
        {
            var attachments = ReadAttachments(key, id ?? Encoding.UTF8.GetString(utf8Id));
            body = AttachmentMetadata.Rewrite(new BinaryJson(body.ToArray()), attachments);
            if (attachments.Count > 0)
                attached = DocumentRecord.Attached;
        }

        if (Trace is { } trace)
        {
            body = MetadataProperty.Set(
                new BinaryJson(body.ToArray()),
                "traceparent"u8,
                Encoding.ASCII.GetBytes($"\"{trace}\"")
            );
        }

        body = _database.Bodies.Encode(_transaction, number, body, out var flags);
        DocumentRecord.Write(
            _documents.Reserve(positionKey, DocumentRecord.Size(utf8Id.Length, body.Length)),
            (byte)(flags | replaces | attached),
            number,
            _ticks,
            utf8Id,
            body
        );
        Live(number).Put(positionKey, default);
        var target = _ids.Reserve(key, IdEntry.FixedBytes + (formers?.Length ?? 0));
        IdEntry.Write(target, position, attached, number);
        formers?.CopyTo(target[IdEntry.FixedBytes..]);
        if (isKept)
            Revisions!.Trim(key, number, isDeleted: false);
        return position;
    }

    /// <summary>
    /// Takes the former version out of the feed; gives the tombstones that the id then has in other collections.
    /// </summary>
    private byte[]? Supersede(IdEntry entry, int number)
    {
        var old = entry.Position;
        var oldNumber = entry.CollectionId;
        var wasDeleted = entry.IsDeleted;
        var formers = entry.Formers.IsEmpty ? null : entry.Formers.ToArray();
        Span<byte> oldKey = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(oldKey, old);
        if (oldNumber == number)
        {
            _documents.Delete(oldKey);
            if (wasDeleted)
                Tombstones(number).Delete(oldKey);
            else
                Live(number).Delete(oldKey);
            return formers;
        }

        var tombstone = old;
        if (!wasDeleted)
        {
            // Who follows the old collection alone must learn that the document left it.
            if (!_documents.TryGet(oldKey, out var record))
                throw Missing(old, null);
            var oldId = new DocumentRecord(record, _database.Name).Id.ToArray();
            _documents.Delete(oldKey);
            Live(oldNumber).Delete(oldKey);
            tombstone = AppendTombstone(oldNumber, DocumentRecord.Deleted | DocumentRecord.Moved, oldId);
        }

        return ReplaceFormer(formers, oldNumber, tombstone, number);
    }

    /// <summary>
    /// Adds the tombstone in the collection that is left; removes the one in the collection that is entered.
    /// </summary>
    private byte[] ReplaceFormer(byte[]? formers, int left, long tombstone, int entered)
    {
        var kept = new List<byte>((formers?.Length ?? 0) + IdEntry.FormerBytes);
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        for (var i = 0; i < (formers?.Length ?? 0); i += IdEntry.FormerBytes)
        {
            ReadOnlySpan<byte> former = formers.AsSpan(i, IdEntry.FormerBytes);
            var number = BinaryPrimitives.ReadInt32LittleEndian(former);
            if (number != entered && number != left)
            {
                kept.AddRange(former);
                continue;
            }

            DocumentKeys.WritePosition(key, BinaryPrimitives.ReadInt64LittleEndian(former[4..]));
            _documents.Delete(key);
            Tombstones(number).Delete(key);
        }

        Span<byte> added = stackalloc byte[IdEntry.FormerBytes];
        BinaryPrimitives.WriteInt32LittleEndian(added, left);
        BinaryPrimitives.WriteInt64LittleEndian(added[4..], tombstone);
        kept.AddRange(added);
        return [.. kept];
    }

    private long AppendTombstone(int number, byte flags, ReadOnlySpan<byte> utf8Id)
    {
        var position = ++LastPosition;
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        DocumentRecord.Write(
            _documents.Reserve(key, DocumentRecord.Size(utf8Id.Length, 0)),
            flags,
            number,
            _ticks,
            utf8Id,
            default
        );
        Tombstones(number).Put(key, default);
        return position;
    }

    private void CheckExpected(string id, string? expected, long? actual)
    {
        if (expected is null)
            return;
        var vector = actual is { } position ? MetadataRules.ChangeVectorOf(position, _database.IdText) : null;
        if (!string.Equals(expected, vector ?? "", StringComparison.Ordinal))
            throw new ConcurrencyException(id, expected, vector);
    }
}
