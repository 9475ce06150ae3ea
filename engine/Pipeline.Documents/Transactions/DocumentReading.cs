using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>Reads that a snapshot and a write transaction do alike.</summary>
internal static class DocumentReading
{
    private const int MaxStateKeyBytes = 512;

    internal static bool TryGet(
        DocumentStorage database,
        Transaction transaction,
        Tree ids,
        Tree documents,
        string id,
        [NotNullWhen(true)] out Document? document
    )
    {
        ArgumentNullException.ThrowIfNull(id);
        document = null;
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8 = utf8[..DocumentKeys.EncodeId(id, utf8)];
        Span<byte> key = stackalloc byte[DocumentKeys.MaxKeyBytes];
        if (!ids.TryGet(key[..DocumentKeys.LowerKey(utf8, key)], out var value))
            return false;
        var entry = new IdEntry(value, database.Name);
        if (entry.IsDeleted)
            return false;
        document =
            Read(database, transaction, documents, entry.Position)
            ?? throw new DatabaseCorruptException(
                database.Name,
                $"the document '{id}' leads to position {entry.Position}, which has no record"
            );
        return true;
    }

    internal static Document? Read(DocumentStorage database, Transaction transaction, Tree documents, long position)
    {
        Span<byte> key = stackalloc byte[DocumentKeys.PositionBytes];
        DocumentKeys.WritePosition(key, position);
        return documents.TryGet(key, out var bytes) ? Read(database, transaction, position, bytes) : null;
    }

    internal static Document Read(
        DocumentStorage database,
        Transaction transaction,
        long position,
        ReadOnlySpan<byte> bytes
    )
    {
        var record = new DocumentRecord(bytes, database.Name);
        var collection = CollectionNames.Name(record.CollectionId, transaction, database.Collections, database.Name);
        return new Document(
            Encoding.UTF8.GetString(record.Id),
            collection,
            position,
            database.IdText,
            record.Ticks,
            record.IsDeleted,
            record.IsDeleted ? default : new BinaryJson(database.Bodies.ToArray(transaction, record))
        );
    }

    internal static byte[] StateKey(string key)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        var utf8 = Encoding.UTF8.GetBytes(key);
        return utf8.Length <= MaxStateKeyBytes
            ? utf8
            : throw new ArgumentException(
                $"The name of a private state has {utf8.Length} bytes of UTF-8; {MaxStateKeyBytes} are allowed.",
                nameof(key)
            );
    }

    internal static byte[]? GetState(Transaction transaction, string key) =>
        transaction.TryOpenTree(DatabaseTrees.State, out var tree) && tree.TryGet(StateKey(key), out var value)
            ? value.ToArray()
            : null;

    internal static IEnumerable<KeyValuePair<string, byte[]>> GetStates(
        Transaction transaction,
        string prefix,
        string? after
    )
    {
        if (!transaction.TryOpenTree(DatabaseTrees.State, out var tree))
            yield break;
        var first = StateKey(prefix);
        var from = after is null ? first : [.. StateKey(after), 0];
        using var cursor = tree.OpenCursor();
        for (var any = cursor.Seek(from); any && cursor.Key.StartsWith(first); any = cursor.MoveNext())
            yield return new(Encoding.UTF8.GetString(cursor.Key), cursor.Value.ToArray());
    }
}
