namespace Pipeline.Indexing;

/// <summary>Counts for one request, entry by entry, in columns. One thread at a time.</summary>
internal abstract class FacetCounter(QueryExecution execution, FacetRequest request)
{
    private readonly AggregateColumn[] _aggregates =
    [
        .. request.Aggregates.Select(f => new AggregateColumn(execution, f)),
    ];

    public FacetRequest Request => request;

    protected bool HasAggregates => _aggregates.Length > 0;

    /// <summary>Counts live entries, in any order, each once.</summary>
    public abstract void Add(ReadOnlySpan<int> entries);

    /// <summary>
    /// Counts all entries of a chunk of columns that has no deleted entries; false if they must be counted one by one.
    /// </summary>
    public virtual bool TryAddChunk(int chunk) => false;

    /// <summary>The counts.</summary>
    public abstract FacetCounts Result();

    /// <summary>Counts the memory of this many result values before they are made.</summary>
    protected void CountValues(int values) => execution.Memory.Count(FacetCounts.BytesOf(request, values));

    protected void Resize(int slots)
    {
        foreach (var aggregate in _aggregates)
            aggregate.Resize(slots);
    }

    protected void Aggregate(int slot, int entry)
    {
        foreach (var aggregate in _aggregates)
            aggregate.Add(slot, entry);
    }

    protected IReadOnlyList<FacetAggregate> AggregatesOf(int slot) =>
        _aggregates.Length == 0 ? [] : [.. _aggregates.Select(a => a.Of(slot))];

    /// <summary>Sum, least and greatest of one field, by slot.</summary>
    private sealed class AggregateColumn(QueryExecution execution, string name)
    {
        private readonly ColumnReader? _longs = execution.Field(name) is { } field
            ? execution.Column(field, ColumnKind.Long)
            : null;
        private readonly ColumnReader? _doubles = execution.Field(name) is { } field
            ? execution.Column(field, ColumnKind.Double)
            : null;
        private FacetAggregate[] _slots = [];

        public void Resize(int slots)
        {
            execution.Memory.Reserve(slots * 40L, "facet aggregates");
            _slots = new FacetAggregate[slots];
            Array.Fill(_slots, new FacetAggregate(name, 0, 0, double.NaN, double.NaN));
        }

        public void Add(int slot, int entry)
        {
            double number;
            if (_longs is not null && _longs.TryGet(entry, out var value))
                number = value;
            else if (_doubles is not null && _doubles.TryGet(entry, out value))
                number = BitConverter.Int64BitsToDouble(value);
            else
                return;
            ref var a = ref _slots[slot];
            a =
                a.Count == 0
                    ? new FacetAggregate(name, 1, number, number, number)
                    : new FacetAggregate(
                        name,
                        a.Count + 1,
                        a.Sum + number,
                        Math.Min(a.Min, number),
                        Math.Max(a.Max, number)
                    );
        }

        public FacetAggregate Of(int slot) => _slots[slot];
    }
}
