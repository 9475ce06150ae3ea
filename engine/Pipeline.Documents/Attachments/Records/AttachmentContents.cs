using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The contents of attachments within one write. Each is stored once, by its hash, in parts under a number, and removed
/// with the last attachment that refers to it. A content of more than one part is uploaded in separate commits before
/// an attachment refers to it; until then its number is among the uploads.
/// </summary>
internal readonly struct AttachmentContents(WriteTransaction transaction, string database)
{
    /// <summary>The bytes of an upload in one commit.</summary>
    internal const int PartBytes = 512 * 1024;

    /// <summary>Begins an upload.</summary>
    /// <returns>Its number, never given twice.</returns>
    internal long BeginUpload()
    {
        var number = NextNumber();
        Span<byte> key = stackalloc byte[AttachmentKeys.NumberBytes];
        AttachmentKeys.WriteNumber(key, number);
        transaction.CreateTree(DatabaseTrees.AttachmentUploads).Put(key, default);
        return number;
    }

    /// <summary>Whether an upload was begun and is neither dropped nor used.</summary>
    internal bool IsUpload(long number)
    {
        Span<byte> key = stackalloc byte[AttachmentKeys.NumberBytes];
        AttachmentKeys.WriteNumber(key, number);
        return transaction.TryOpenTree(DatabaseTrees.AttachmentUploads, out var uploads) && uploads.Contains(key);
    }

    internal void AddPart(long number, int part, ReadOnlySpan<byte> bytes)
    {
        Span<byte> key = stackalloc byte[AttachmentKeys.PartBytes];
        AttachmentKeys.WritePart(key, number, part);
        bytes.CopyTo(transaction.CreateTree(DatabaseTrees.AttachmentParts).Reserve(key, bytes.Length));
    }

    /// <summary>Removes an upload that no attachment refers to; does nothing if it is no longer an upload.</summary>
    internal void DropUpload(long number)
    {
        Span<byte> key = stackalloc byte[AttachmentKeys.NumberBytes];
        AttachmentKeys.WriteNumber(key, number);
        if (transaction.CreateTree(DatabaseTrees.AttachmentUploads).Delete(key))
            DropParts(number);
    }

    /// <summary>Removes all uploads: those of a process that is gone.</summary>
    internal void DropUploads()
    {
        var uploads = transaction.CreateTree(DatabaseTrees.AttachmentUploads);
        var numbers = new List<long>();
        using (var cursor = uploads.OpenCursor())
        {
            for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                numbers.Add(BinaryPrimitives.ReadInt64BigEndian(cursor.Key));
        }

        foreach (var number in numbers)
            DropUpload(number);
    }

    /// <summary>Counts one more attachment that refers to a content, and stores the content if it is new.</summary>
    /// <returns>Whether the content exists; false if its upload was abandoned.</returns>
    internal bool Add(StagedAttachment content)
    {
        var hashes = transaction.CreateTree(DatabaseTrees.AttachmentContents);
        if (hashes.TryGet(content.HashBytes, out var value))
        {
            var entry = ContentEntry.Read(value, database);
            (entry with { References = entry.References + 1 }).Write(
                hashes.Reserve(content.HashBytes, ContentEntry.Bytes)
            );
            if (content.Number != 0 && content.Number != entry.Number)
                DropUpload(content.Number);
            return true;
        }

        var number = content.Number;
        if (number == 0)
        {
            number = NextNumber();
            if (content.Size > 0)
                AddPart(number, 0, content.Inline.Span);
        }
        else
        {
            Span<byte> key = stackalloc byte[AttachmentKeys.NumberBytes];
            AttachmentKeys.WriteNumber(key, number);
            if (!transaction.CreateTree(DatabaseTrees.AttachmentUploads).Delete(key))
                return false;
        }

        new ContentEntry(number, 1, content.Size).Write(hashes.Reserve(content.HashBytes, ContentEntry.Bytes));
        return true;
    }

    /// <summary>Counts one more attachment with an existing content.</summary>
    internal void AddReference(ReadOnlySpan<byte> hash) => Count(hash, 1);

    /// <summary>Counts one attachment less that has a content; removes the content with the last.</summary>
    internal void Release(ReadOnlySpan<byte> hash)
    {
        var entry = Count(hash, -1);
        if (entry.References > 0)
            return;
        transaction.CreateTree(DatabaseTrees.AttachmentContents).Delete(hash);
        DropParts(entry.Number);
    }

    /// <summary>Removes the parts of all contents but these.</summary>
    internal void DropPartsBut(HashSet<long> numbers)
    {
        var unused = new HashSet<long>();
        using (var cursor = transaction.CreateTree(DatabaseTrees.AttachmentParts).OpenCursor())
        {
            for (var any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            {
                var number = BinaryPrimitives.ReadInt64BigEndian(cursor.Key);
                if (!numbers.Contains(number))
                    unused.Add(number);
            }
        }

        foreach (var number in unused)
            DropParts(number);
    }

    private ContentEntry Count(ReadOnlySpan<byte> hash, int by)
    {
        var hashes = transaction.CreateTree(DatabaseTrees.AttachmentContents);
        if (!hashes.TryGet(hash, out var value))
        {
            throw new DatabaseCorruptException(
                database,
                $"an attachment has the content {Convert.ToBase64String(hash)}, which is missing"
            );
        }

        var entry = ContentEntry.Read(value, database);
        entry = entry with { References = entry.References + by };
        entry.Write(hashes.Reserve(hash, ContentEntry.Bytes));
        return entry;
    }

    private void DropParts(long number)
    {
        var parts = transaction.CreateTree(DatabaseTrees.AttachmentParts);
        var keys = new List<byte[]>();
        var first = new byte[AttachmentKeys.PartBytes];
        AttachmentKeys.WritePart(first, number, 0);
        using (var cursor = parts.OpenCursor())
        {
            for (
                var any = cursor.Seek(first);
                any && BinaryPrimitives.ReadInt64BigEndian(cursor.Key) == number;
                any = cursor.MoveNext()
            )
            {
                keys.Add(cursor.Key.ToArray());
            }
        }

        foreach (var key in keys)
            parts.Delete(key);
    }

    private long NextNumber() => MetaCounter.Next(transaction, "attachments"u8);
}
