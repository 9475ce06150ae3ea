using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The bodies of documents as their records hold them: plain, or compressed with a dictionary of the collection's. One
/// for an open database.
/// </summary>
internal sealed class DocumentBodies(string database, bool compress)
{
    private readonly ValueDictionaries _dictionaries = new(DatabaseTrees.Dictionaries);

    /// <summary>Returns the bytes to store in the record, valid until the next call. For the writer only.</summary>
    internal ReadOnlySpan<byte> Encode(
        WriteTransaction transaction,
        int collection,
        ReadOnlySpan<byte> body,
        out byte flags
    )
    {
        flags = 0;
        if (!compress)
            return body;
        var stored = _dictionaries.Encode(transaction, (uint)collection, body);
        if (ValueDictionaries.IsPlain(stored))
            return body;
        flags = DocumentRecord.Compressed;
        return stored;
    }

    /// <inheritdoc cref="ValueDictionaries.Forget"/>
    internal void Forget() => _dictionaries.Forget();

    /// <summary>The length of the body.</summary>
    internal int Length(scoped in DocumentRecord record)
    {
        if (!record.IsCompressed)
            return record.Body.Length;
        try
        {
            return ValueDictionaries.DecodedLength(record.Body);
        }
        catch (CompressedValueCorruptException e)
        {
            throw Damaged(record, e);
        }
    }

    /// <summary>Writes the body to a target of its <see cref="Length"/>.</summary>
    internal void Decode(Transaction transaction, scoped in DocumentRecord record, Span<byte> target)
    {
        if (!record.IsCompressed)
        {
            record.Body.CopyTo(target);
            return;
        }

        try
        {
            _dictionaries.Decode(transaction, (uint)record.CollectionId, record.Body, target);
        }
        catch (CompressedValueCorruptException e)
        {
            throw Damaged(record, e);
        }
    }

    /// <summary>A copy of the body.</summary>
    internal byte[] ToArray(Transaction transaction, scoped in DocumentRecord record)
    {
        var body = new byte[Length(record)];
        Decode(transaction, record, body);
        return body;
    }

    private DatabaseCorruptException Damaged(scoped in DocumentRecord record, CompressedValueCorruptException cause) =>
        new(
            database,
            $"the body of the document '{DocumentKeys.Printable(System.Text.Encoding.UTF8.GetString(record.Id))}' cannot be read: {cause.Message}"
        );
}
