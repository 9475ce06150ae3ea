using System.Buffers.Binary;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Reduces groups from their changes. A group of many outputs is a tree of parts by the names of its documents, with
/// sixteen children per node. A part keeps its reduction, so a change reduces one leaf and the parts above it, and no
/// call takes more than <c>maxInputs</c> outputs. One batch's view; not thread-safe.
/// </summary>
internal sealed class GroupReducer(
    Transaction snapshot,
    GroupOutputs outputs,
    IIndexMapRun run,
    int maxInputs,
    CancellationToken ct
)
{
    private const int Fan = 16;
    private const byte Leaf = 0;
    private const byte Inner = 1;
    private readonly TreeChanges _parts = new(UpkeepTrees.Parts, snapshot);
    private readonly ObjectCollector _objects = new();

    public long Bytes => _parts.Bytes;

    /// <summary>Reduces a group; its entries go to the output, none if it is empty.</summary>
    /// <exception cref="ScriptRuntimeException">
    /// The reduce threw. The state of the group's parts is discarded, so that the next change reduces all of it.
    /// </exception>
    public void Reduce(byte[] group, IReadOnlyList<byte[]> documents, IIndexOutput output)
    {
        var root = new byte[GroupKey.Bytes];
        try
        {
            var key = GroupKey.Part(group, root, 0);
            var inputs = IsInner(key, out _)
                ? Below(group, root, 0, documents, out var count)
                : Small(group, root, 0, out count);
            if (inputs is null)
            {
                inputs = Split(group, root, 0, out count);
                WritePart(key, Inner, count, []);
            }
            else if (count > 0 && IsInner(key, out _))
            {
                WritePart(key, Inner, count, []);
            }

            if (count == 0)
                Forget(group);
            else
                run.Reduce(inputs, output, ct);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            Forget(group);
            throw;
        }
    }

    public void Apply(WriteTransaction transaction) => _parts.Apply(transaction);

    /// <summary>All outputs of a part, or null if there are too many.</summary>
    private List<BinaryJson>? Small(byte[] group, byte[] hash, int depth, out long count)
    {
        var inputs = new List<BinaryJson>();
        count = 0;
        foreach (var output in outputs.Of(group, hash, depth))
        {
            if (inputs.Count == maxInputs && depth < GroupKey.MaxDepth)
                return null;
            inputs.Add(new BinaryJson(output));
            count++;
        }

        return inputs;
    }

    /// <summary>Makes the parts of a part that has become too large.</summary>
    private List<BinaryJson> Split(byte[] group, byte[] hash, int depth, out long count)
    {
        var inputs = new List<BinaryJson>();
        count = 0;
        for (var nibble = 0; nibble < Fan; nibble++)
            count += Rebuild(group, Child(hash, depth, nibble), depth + 1, [], inputs);
        return inputs;
    }

    /// <summary>The reductions of the parts below an inner part, recomputed where documents have changed.</summary>
    private List<BinaryJson> Below(
        byte[] group,
        byte[] hash,
        int depth,
        IReadOnlyList<byte[]> documents,
        out long count
    )
    {
        var inputs = new List<BinaryJson>();
        count = 0;
        var changed = documents.ToLookup(d => GroupKey.Nibble(d, depth));
        for (var nibble = 0; nibble < Fan; nibble++)
        {
            var child = Child(hash, depth, nibble);
            count += changed.Contains(nibble)
                ? Rebuild(group, child, depth + 1, [.. changed[nibble]], inputs)
                : ReadPart(GroupKey.Part(group, child, depth + 1), inputs);
        }

        return inputs;
    }

    /// <summary>
    /// Reduces a part below the root, stores it, and adds its reduction to the inputs of the one above.
    /// </summary>
    private long Rebuild(byte[] group, byte[] hash, int depth, IReadOnlyList<byte[]> documents, List<BinaryJson> above)
    {
        var key = GroupKey.Part(group, hash, depth);
        var kind = Inner;
        List<BinaryJson>? inputs;
        long count;
        if (IsInner(key, out _))
        {
            inputs = Below(group, hash, depth, documents, out count);
        }
        else
        {
            inputs = Small(group, hash, depth, out count);
            if (inputs is null)
                inputs = Split(group, hash, depth, out count);
            else
                kind = Leaf;
        }

        if (count == 0)
        {
            _parts.Delete(key);
            return 0;
        }

        _objects.Reset();
        run.Reduce(inputs, _objects, ct);
        BinaryJson[] reduced = [.. _objects.Objects];
        WritePart(key, kind, count, reduced);
        above.AddRange(reduced);
        return count;
    }

    private bool IsInner(byte[] key, out long count)
    {
        count = 0;
        if (!_parts.TryGet(key, out var part))
            return false;
        count = BinaryPrimitives.ReadInt64LittleEndian(part[1..]);
        return part[0] == Inner;
    }

    private long ReadPart(byte[] key, List<BinaryJson> inputs)
    {
        if (!_parts.TryGet(key, out var part))
            return 0;
        var count = BinaryPrimitives.ReadInt64LittleEndian(part[1..]);
        for (part = part[9..]; part.Length > 0; )
        {
            var length = BinaryPrimitives.ReadInt32LittleEndian(part);
            inputs.Add(new BinaryJson(part.Slice(4, length).ToArray()));
            part = part[(4 + length)..];
        }

        return count;
    }

    private void WritePart(byte[] key, byte kind, long count, BinaryJson[] reduced)
    {
        var part = new byte[9 + reduced.Sum(r => 4 + r.Data.Length)];
        part[0] = kind;
        BinaryPrimitives.WriteInt64LittleEndian(part.AsSpan(1), count);
        var at = 9;
        foreach (var one in reduced)
        {
            BinaryPrimitives.WriteInt32LittleEndian(part.AsSpan(at), one.Data.Length);
            one.Data.Span.CopyTo(part.AsSpan(at + 4));
            at += 4 + one.Data.Length;
        }

        _parts.Put(key, part);
    }

    private void Forget(byte[] group)
    {
        foreach ((var key, _) in _parts.Range(group).ToList())
            _parts.Delete(key);
    }

    private static byte[] Child(byte[] hash, int depth, int nibble)
    {
        byte[] child = [.. hash];
        child[depth / 2] |= (byte)((depth & 1) == 0 ? nibble << 4 : nibble);
        return child;
    }

    /// <summary>Takes the objects of a reduce and none of its fields.</summary>
    private sealed class ObjectCollector : IIndexOutput
    {
        public List<BinaryJson> Objects { get; } = [];

        public void Reset() => Objects.Clear();

        public void BeginEntry() { }

        public void Null(MapField field) { }

        public void Boolean(MapField field, bool value) { }

        public void Integer(MapField field, long value) { }

        public void Real(MapField field, double value) { }

        public void Text(MapField field, ReadOnlySpan<byte> utf8) { }

        public void Json(MapField field, ReadOnlySpan<byte> utf8) { }

        public void Point(MapField field, double latitude, double longitude) { }

        public void Shape(MapField field, string wkt) { }

        public void Object(ReadOnlySpan<byte> utf8Json) => Objects.Add(BinaryJson.Parse(utf8Json));

        public void EndEntry() { }
    }
}
