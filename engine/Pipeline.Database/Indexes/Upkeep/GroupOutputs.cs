using System.Buffers.Binary;
using Pipeline.Json;
using Pipeline.Scripting.Indexes;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The outputs of a map-reduce index's maps, by group and document, as one batch sees and changes them. Also has the
/// groups that it has touched. Not thread-safe.
/// </summary>
internal sealed class GroupOutputs(Transaction snapshot) : IMapOutput
{
    private const int KeyBytes = GroupKey.Bytes * 2 + sizeof(int);
    private readonly TreeChanges _mapped = new(UpkeepTrees.Mapped, snapshot);
    private readonly TreeChanges _outputs = new(UpkeepTrees.Outputs, snapshot);
    private readonly List<(byte[] Group, byte[] Json)> _pending = [];
    private readonly Dictionary<string, (byte[] Group, HashSet<string> Hashes, List<byte[]> Documents)> _touched = new(
        StringComparer.Ordinal
    );

    public long Bytes => _mapped.Bytes + _outputs.Bytes + _touched.Count * 200L;

    /// <summary>
    /// The groups whose outputs have changed, each with the names of the documents that changed them.
    /// </summary>
    public IEnumerable<(byte[] Group, IReadOnlyList<byte[]> Documents)> Touched =>
        _touched.Values.Select(t => (t.Group, (IReadOnlyList<byte[]>)t.Documents));

    /// <summary>Outputs of the current document.</summary>
    public int Pending => _pending.Count;

    public void Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json) =>
        _pending.Add((GroupKey.Of(groupKey), BinaryJson.Parse(utf8Json).Data.ToArray()));

    /// <summary>Discards the outputs mapped since the last <see cref="Set"/>.</summary>
    public void Drop() => _pending.Clear();

    /// <summary>Replaces a document's outputs with the pending ones.</summary>
    public void Set(byte[] documentKey)
    {
        var document = GroupKey.Of(documentKey);
        var counts = new Dictionary<string, int>(StringComparer.Ordinal);
        if (_mapped.TryGet(document, out var stored))
        {
            for (; stored.Length >= GroupKey.Bytes + sizeof(int); stored = stored[(GroupKey.Bytes + sizeof(int))..])
            {
                counts[Convert.ToHexString(stored[..GroupKey.Bytes])] = BinaryPrimitives.ReadInt32LittleEndian(
                    stored[GroupKey.Bytes..]
                );
            }
        }

        var after = new Dictionary<string, int>(StringComparer.Ordinal);
        foreach ((var group, var json) in _pending)
        {
            var name = Convert.ToHexString(group);
            var number = after.GetValueOrDefault(name);
            after[name] = number + 1;
            var key = Key(group, document, number);
            if (_outputs.TryGet(key, out var before) && before.SequenceEqual(json))
                continue;
            _outputs.Put(key, json);
            Touch(group, name, document);
        }

        _pending.Clear();
        var changed = counts.Count != after.Count;
        foreach ((var name, var count) in counts)
        {
            var kept = after.GetValueOrDefault(name);
            changed |= kept != count;
            var group = Convert.FromHexString(name);
            for (var number = kept; number < count; number++)
            {
                _outputs.Delete(Key(group, document, number));
                Touch(group, name, document);
            }
        }

        if (!changed)
            return;
        if (after.Count == 0)
            _mapped.Delete(document);
        else
            _mapped.Put(document, Counts(after));
    }

    /// <summary>
    /// The outputs of a part of a group: of documents whose names begin with the first <paramref name="depth"/> half
    /// bytes of a name.
    /// </summary>
    public IEnumerable<byte[]> Of(byte[] group, byte[] hash, int depth)
    {
        var whole = depth / 2;
        byte[] prefix = [.. group, .. hash.AsSpan(0, whole)];
        if ((depth & 1) == 0)
            return _outputs.Range(prefix).Select(o => o.Value);
        var nibble = hash[whole] >> 4;
        return _outputs
            .Range(prefix, [.. prefix, (byte)(nibble << 4)])
            .TakeWhile(o => o.Key[GroupKey.Bytes + whole] >> 4 == nibble)
            .Select(o => o.Value);
    }

    public void Apply(WriteTransaction transaction)
    {
        _mapped.Apply(transaction);
        _outputs.Apply(transaction);
    }

    private static byte[] Counts(Dictionary<string, int> counts)
    {
        var bytes = new byte[counts.Count * (GroupKey.Bytes + sizeof(int))];
        var at = 0;
        foreach ((var name, var count) in counts.OrderBy(c => c.Key, StringComparer.Ordinal))
        {
            Convert.FromHexString(name).CopyTo(bytes, at);
            BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(at + GroupKey.Bytes), count);
            at += GroupKey.Bytes + sizeof(int);
        }

        return bytes;
    }

    private static byte[] Key(byte[] group, byte[] document, int number)
    {
        var key = new byte[KeyBytes];
        group.CopyTo(key, 0);
        document.CopyTo(key, GroupKey.Bytes);
        BinaryPrimitives.WriteInt32BigEndian(key.AsSpan(GroupKey.Bytes * 2), number);
        return key;
    }

    private void Touch(byte[] group, string name, byte[] document)
    {
        if (!_touched.TryGetValue(name, out var touched))
        {
            _touched[name] = touched = (group, new HashSet<string>(StringComparer.Ordinal), []);
        }

        if (touched.Hashes.Add(Convert.ToHexString(document)))
            touched.Documents.Add(document);
    }
}
