using System.Text;

namespace Pipeline.Indexing;

/// <summary>Counts by ranges of numbers.</summary>
internal sealed class RangeFacetCounter : FacetCounter
{
    /// <summary>The most ranges of one request.</summary>
    public const int MaxRanges = 1024;

    private readonly FacetRange[] _ranges;
    private readonly ColumnReader? _longs,
        _doubles;
    private readonly long[] _counts;
    private readonly List<long> _values = [];

    public RangeFacetCounter(QueryExecution execution, RangeFacet request)
        : base(execution, request)
    {
        if (request.Ranges.Count > MaxRanges)
        {
            throw new QueryLimitException(
                "the number of ranges of a facet",
                MaxRanges,
                request.Ranges.Count,
                $"facet {request.Field}"
            );
        }

        _ranges = [.. request.Ranges];
        _counts = new long[_ranges.Length];
        Resize(_counts.Length);
        if (execution.Field(request.Field) is not { } field)
            return;
        (_longs, _doubles) = (execution.Column(field, ColumnKind.Long), execution.Column(field, ColumnKind.Double));
    }

    public override void Add(ReadOnlySpan<int> entries)
    {
        if (_longs is null || _doubles is null)
            return;
        Span<NumericKey> keys = stackalloc NumericKey[16];
        foreach (var entry in entries)
        {
            _values.Clear();
            _longs.GetValues(entry, _values);
            var longs = _values.Count;
            _doubles.GetValues(entry, _values);
            if (_values.Count > keys.Length)
                keys = new NumericKey[_values.Count];
            var count = 0;
            for (var i = 0; i < _values.Count; i++)
            {
                if (i < longs)
                    keys[count++] = NumericKey.From(_values[i]);
                else if (NumericKey.TryFrom(BitConverter.Int64BitsToDouble(_values[i]), out var key))
                    keys[count++] = key;
            }

            for (var r = 0; r < _counts.Length; r++)
            {
                foreach (var key in keys[..count])
                {
                    if (!_ranges[r].Contains(key))
                        continue;
                    _counts[r]++;
                    Aggregate(r, entry);
                    break;
                }
            }
        }
    }

    public override FacetCounts Result()
    {
        CountValues(_ranges.Length);
        var values = new List<FacetBucket>(_ranges.Length);
        for (var r = 0; r < _ranges.Length; r++)
            values.Add(new FacetBucket(Encoding.UTF8.GetBytes(_ranges[r].Name), _counts[r], AggregatesOf(r)));
        return new FacetCounts(Request, values);
    }
}
