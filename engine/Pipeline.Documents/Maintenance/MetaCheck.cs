using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>
/// Checks the database's own entries: its id and lineages, the counters, the compare-exchange values, and the list of
/// consumers.
/// </summary>
internal sealed class MetaCheck(OfflineStore store, string name, Action<string?, long?, string> add)
{
    private long _indexes;
    private long _contents;

    internal void Walk(bool hasDocuments, CancellationToken ct)
    {
        bool found = false,
            whole = true;
        store.Scan(
            DatabaseTrees.Meta,
            (key, value) =>
            {
                found |= key.SequenceEqual("database-id"u8);
                CheckEntry(key, value);
            },
            _ => whole = false,
            ct
        );
        if (!found && whole && (hasDocuments || store.OpenTree(DatabaseTrees.Meta) is not null))
            add(null, null, "the database has no id");
        CheckCompareExchange(whole, ct);
        CheckContents(whole, ct);
        CheckConsumers();
    }

    private void CheckEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (key.SequenceEqual("lineages"u8))
        {
            try
            {
                _ = DatabaseLineages.Parse(name, value.ToArray());
            }
            catch (DatabaseCorruptException e)
            {
                add(null, null, e.Reason);
            }

            return;
        }

        var expected = key.SequenceEqual("database-id"u8) ? 16 : 8;
        if (value.Length != expected)
            add(null, null, $"the entry {KeyRange.Show(key)} of tree 'meta' has {value.Length} bytes, not {expected}");
        else if (key.SequenceEqual("compare-exchange"u8))
            _indexes = BinaryPrimitives.ReadInt64LittleEndian(value);
        else if (key.SequenceEqual("attachments"u8))
            _contents = BinaryPrimitives.ReadInt64LittleEndian(value);
    }

    private void CheckCompareExchange(bool countersAreKnown, CancellationToken ct) =>
        store.Scan(
            DatabaseTrees.CompareExchange,
            (key, bytes) =>
            {
                try
                {
                    var value = CompareExchangeEntry.Read(bytes, name);
                    if (!CompareExchangeEntry.TreeKey(value.Key).AsSpan().SequenceEqual(key))
                    {
                        add(
                            null,
                            null,
                            $"the compare-exchange value '{DocumentKeys.Printable(value.Key)}' is under another key"
                        );
                    }

                    if (countersAreKnown && value.Index > _indexes)
                    {
                        add(
                            null,
                            null,
                            $"the compare-exchange value '{DocumentKeys.Printable(value.Key)}' has the index {value.Index}, and the last one given is {_indexes}"
                        );
                    }

                    value.Value.WriteTo(new System.Buffers.ArrayBufferWriter<byte>());
                }
                catch (Exception e)
                    when (e
                            is DatabaseCorruptException
                                or BinaryJsonCorruptException
                                or ArgumentException
                                or CompareExchangeKeyException
                    )
                {
                    add(
                        null,
                        null,
                        $"the compare-exchange value under {KeyRange.Show(key)} cannot be read: {e.Message}"
                    );
                }
            },
            _ => { },
            ct
        );

    private void CheckContents(bool countersAreKnown, CancellationToken ct)
    {
        if (!countersAreKnown)
            return;
        store.Scan(
            DatabaseTrees.AttachmentContents,
            (key, value) =>
            {
                if (value.Length == ContentEntry.Bytes && ContentEntry.Read(value, name).Number > _contents)
                {
                    add(
                        null,
                        null,
                        $"the content {Convert.ToBase64String(key)} of attachments has the number {ContentEntry.Read(value, name).Number}, and the last one given is {_contents}"
                    );
                }
            },
            _ => { },
            ct
        );
    }

    private void CheckConsumers()
    {
        try
        {
            if (
                store.OpenTree(DatabaseTrees.State) is { } state
                && state.TryGet(Encoding.UTF8.GetBytes(DatabaseConsumers.StateKey), out var value)
            )
            {
                _ = DatabaseConsumers.Parse(value.ToArray());
            }
        }
        catch (Exception e) when (e is JsonException or CorruptPageException)
        {
            add(null, null, $"the list of the feed's consumers cannot be read: {e.Message}");
        }
    }
}
