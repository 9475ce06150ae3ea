using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>
/// Counts terms by their numbers in the field's column. It uses an array with a place for each term, and reads no term
/// before the end.
/// </summary>
internal sealed class ValueFacetCounter : FacetCounter
{
    private readonly TermNames _names;
    private readonly IndexField? _field;
    private readonly ColumnReader? _column;
    private readonly FlatTermNumbers? _flat;
    private readonly bool _multiple;
    private const int MaxInLanes = 1024;

    private readonly int[] _counts; // by the number plus one; the first of entries without a term
    private readonly int _stride; // of few terms there are four tables, one behind the other
    private readonly List<long> _values = [];

    public ValueFacetCounter(QueryExecution execution, ValueFacet request, TermNames names)
        : base(execution, request)
    {
        _names = names;
        if (execution.Field(request.Field) is not { } field)
        {
            _counts = [];
            return;
        }

        var terms = execution.Reader.TermIdCount(field);
        _stride = terms + 1;
        var places = terms <= MaxInLanes ? _stride * 4 : _stride;
        execution.Memory.Reserve(places * (long)sizeof(int), "facet");
        (_field, _column, _counts, _multiple) = (
            field,
            execution.Reader.OpenColumn(field, ColumnKind.Term),
            new int[places],
            execution.Reader.HasMultiple(field, ColumnKind.Term)
        );
        _flat = execution.Reader.FlatTerms(field);
        Resize(terms);
    }

    public override void Add(ReadOnlySpan<int> entries)
    {
        if (_column is null)
            return;
        if (_multiple)
        {
            AddMultiple(entries);
            return;
        }

        var counts = _counts;
        if (!HasAggregates && _flat?.Get(entries.Length) is { } flat)
        {
            if (counts.Length > _stride)
            {
                AddInTurns(entries, flat);
            }
            else
            {
                foreach (var entry in entries)
                    counts[flat[entry]]++;
            }

            return;
        }

        foreach (var entry in entries)
        {
            if (!_column.TryGet(entry, out var number))
                continue;
            counts[number + 1]++;
            if (HasAggregates)
                Aggregate((int)number, entry);
        }
    }

    public override bool TryAddChunk(int index)
    {
        if (HasAggregates || _column is null)
            return _column is null;
        var chunk = _column.GetChunk(index);
        if (!chunk.Exists)
            return true;
        if (chunk.IsMultiple || chunk.Width == 8)
            return false;
        switch (chunk.Width)
        {
            case 0:
                _counts[chunk.Base + 1] += chunk.Count;
                break;
            case 1:
                AddBytes(chunk.Stored, chunk.Base);
                break;
            case 2:
                foreach (var stored in MemoryMarshal.Cast<byte, ushort>(chunk.Stored))
                {
                    if (stored != 0)
                        _counts[chunk.Base + stored]++;
                }

                break;
            default:
                foreach (var stored in MemoryMarshal.Cast<byte, uint>(chunk.Stored))
                {
                    if (stored != 0)
                        _counts[chunk.Base + stored]++;
                }

                break;
        }

        return true;
    }

    public override FacetCounts Result()
    {
        var counts = _counts.AsSpan(0, _stride);
        var found = 0;
        for (var table = _stride; table < _counts.Length; table += _stride)
        {
            for (var i = 0; i < counts.Length; i++)
                counts[i] += _counts[table + i];
        }

        if (counts.Length > 0)
            counts[0] = 0;
        foreach (var count in counts)
            found += count > 0 ? 1 : 0;
        CountValues(found);
        var values = new List<FacetBucket>(found);
        for (var number = 0; number + 1 < counts.Length; number++)
        {
            if (_counts[number + 1] > 0)
                values.Add(new FacetBucket(_names.Of(_field!, number), _counts[number + 1], AggregatesOf(number)));
        }

        return new FacetCounts(Request, values);
    }

    // One value is often most of all: four tables take turns, as below.
    private void AddInTurns(ReadOnlySpan<int> entries, ushort[] flat)
    {
        var (counts, stride) = (_counts, _stride);
        for (; entries.Length >= 4; entries = entries[4..])
        {
            var (a, b, c, d) = (flat[entries[0]], flat[entries[1]], flat[entries[2]], flat[entries[3]]);
            counts[a]++;
            counts[stride + b]++;
            counts[2 * stride + c]++;
            counts[3 * stride + d]++;
        }

        foreach (var entry in entries)
            counts[flat[entry]]++;
    }

    // Neighbours are often equal: four tables take turns, so that an addition need not wait for the one before.
    private void AddBytes(ReadOnlySpan<byte> stored, long least)
    {
        Span<int> tables = stackalloc int[4 * 256];
        tables.Clear();
        ref var table = ref MemoryMarshal.GetReference(tables);
        var words = MemoryMarshal.Cast<byte, uint>(stored);
        foreach (var word in words)
        {
            Unsafe.Add(ref table, (byte)word)++;
            Unsafe.Add(ref table, 256 + (byte)(word >> 8))++;
            Unsafe.Add(ref table, 512 + (byte)(word >> 16))++;
            Unsafe.Add(ref table, 768 + (byte)(word >> 24))++;
        }

        foreach (var each in stored[(words.Length * sizeof(uint))..])
            tables[each]++;
        for (var value = 1; value < 256; value++)
        {
            var count = tables[value] + tables[256 + value] + tables[512 + value] + tables[768 + value];
            if (count > 0)
                _counts[least + value] += count;
        }
    }

    private void AddMultiple(ReadOnlySpan<int> entries)
    {
        foreach (var entry in entries)
        {
            _values.Clear();
            _column!.GetValues(entry, _values);
            foreach (var number in _values)
            {
                _counts[number + 1]++;
                if (HasAggregates)
                    Aggregate((int)number, entry);
            }
        }
    }
}
