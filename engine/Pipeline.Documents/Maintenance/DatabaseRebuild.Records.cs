using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <content>Copies the records that can be decoded.</content>
internal sealed partial class DatabaseRebuild
{
    /// <summary>Adds a batch of records to ids and collections; returns the last key, or null at the end.</summary>
    private byte[]? AddRecords(WriteTransaction transaction, byte[] after)
    {
        if (!transaction.TryOpenTree(DatabaseTrees.Documents, out var documents))
            return null;
        var records = new List<(byte[] Key, byte Flags, int Number, byte[] Id)>(Batch);
        var invalid = new List<byte[]>();
        var lost = new List<(byte[] Key, int Number, byte[] Id)>();
        bool more;
        var last = after;
        using (var cursor = documents.OpenCursor())
        {
            for (more = cursor.Seek([.. after, 0]); more && records.Count < Batch; more = cursor.MoveNext())
            {
                last = cursor.Key.ToArray();
                if (
                    last.Length != DocumentKeys.PositionBytes
                    || !TryRead(cursor.Value, out var flags, out var number, out var id)
                )
                {
                    invalid.Add(last);
                }
                else if (CanDecode(transaction, cursor.Value))
                {
                    records.Add((last, flags, number, id));
                }
                else
                {
                    lost.Add((last, number, id));
                }
            }
        }

        foreach (var key in invalid)
            documents.Delete(key);
        foreach ((var key, var number, var id) in lost)
        {
            documents.Delete(key);
            var position = DocumentKeys.ReadPosition(key);
            _highest = Math.Max(_highest, position);
            if (_lostPositions.Add(position))
                Lost.Add(new LostDocument(Encoding.UTF8.GetString(id), position, _names.GetValueOrDefault(number)));
        }

        var ids = transaction.CreateTree(DatabaseTrees.Ids);
        foreach ((var key, var flags, var number, var id) in records)
            AddRecord(transaction, documents, ids, key, flags, number, id);
        return more ? last : null;
    }

    /// <summary>A compressed document is lost where its dictionary is.</summary>
    private bool CanDecode(WriteTransaction transaction, ReadOnlySpan<byte> value)
    {
        var record = new DocumentRecord(value, name);
        if (record.IsDeleted || !record.IsCompressed)
            return true;
        try
        {
            _bodies.ToArray(transaction, record);
            return true;
        }
        catch (DatabaseCorruptException)
        {
            return false;
        }
    }

    private void AddRecord(
        WriteTransaction transaction,
        Tree documents,
        Tree ids,
        byte[] key,
        byte flags,
        int number,
        byte[] id
    )
    {
        var dead = (flags & DocumentRecord.Deleted) != 0;
        var position = DocumentKeys.ReadPosition(key);
        Span<byte> idKey = stackalloc byte[DocumentKeys.MaxKeyBytes];
        idKey = idKey[..DocumentKeys.LowerKey(id, idKey)];
        byte[] formers = [];
        if (ids.TryGet(idKey, out var value))
        {
            var before = new IdEntry(value, name);
            var older = new byte[DocumentKeys.PositionBytes];
            DocumentKeys.WritePosition(older, before.Position);
            if (before.IsDeleted && before.CollectionId != number)
            {
                formers = [.. before.Formers, .. new byte[IdEntry.FormerBytes]];
                BinaryPrimitives.WriteInt32LittleEndian(formers.AsSpan(^IdEntry.FormerBytes..), before.CollectionId);
                BinaryPrimitives.WriteInt64LittleEndian(formers.AsSpan(^8..), before.Position);
            }
            else
            {
                // Two versions in one state come of a journal that breaks off: the newer one holds.
                formers = before.Formers.ToArray();
                var number0 = before.CollectionId;
                var dead0 = before.IsDeleted;
                documents.Delete(older);
                transaction
                    .CreateTree(dead0 ? DatabaseTrees.Tombstones(number0) : DatabaseTrees.Live(number0))
                    .Delete(older);
                if (dead0)
                    Tombstones--;
                else
                    Documents--;
            }
        }

        transaction.CreateTree(DatabaseTrees.Live(number));
        transaction.CreateTree(dead ? DatabaseTrees.Tombstones(number) : DatabaseTrees.Live(number)).Put(key, default);
        var entry = ids.Reserve(idKey, IdEntry.FixedBytes + formers.Length);
        IdEntry.Write(entry, position, dead ? DocumentRecord.Deleted : (byte)(flags & DocumentRecord.Attached), number);
        formers.CopyTo(entry[IdEntry.FixedBytes..]);
        if (dead)
            Tombstones++;
        else
            Documents++;
        LastPosition = Math.Max(LastPosition, position);
        _numbers = Math.Max(_numbers, number);
        if ((flags & DocumentRecord.Moved) != 0)
            _moved[Encoding.UTF8.GetString(idKey)] = position;
        else
            _moved.Remove(Encoding.UTF8.GetString(idKey));
    }

    private static bool TryRead(ReadOnlySpan<byte> value, out byte flags, out int number, out byte[] id)
    {
        (flags, number, id) = (0, 0, []);
        if (value.Length < DocumentRecord.HeaderBytes)
            return false;
        int length = BinaryPrimitives.ReadUInt16LittleEndian(value[13..]);
        if (length is 0 or > DocumentKeys.MaxIdBytes || DocumentRecord.HeaderBytes + length > value.Length)
            return false;
        flags = value[0];
        number = BinaryPrimitives.ReadInt32LittleEndian(value[1..]);
        id = value.Slice(DocumentRecord.HeaderBytes, length).ToArray();
        return number is > 0 and < 1_000_000;
    }
}
