using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>Entries with a point in a shape. Which they are is found out when it is first asked.</summary>
internal sealed class SpatialStep(QueryExecution execution, NumericReader points, Shape shape, string detail)
    : ListStep(execution, "spatial", detail)
{
    private List<int>? _entries;

    public override long Estimate => Entries.Count;

    protected override bool HasRepeats => points.HasMultiple;

    private List<int> Entries
    {
        get
        {
            if (_entries is { } known)
                return known;
            var entries = new List<int>();
            var reserved = 0;
            PointSearch.Run(
                points,
                Execution.Cursor(points),
                shape,
                found =>
                {
                    Execution.Token.ThrowIfCancellationRequested();
                    if (entries.Count + found.Length > reserved)
                    {
                        var more = Math.Max(found.Length, Math.Max(reserved, 1024));
                        Execution.Memory.Reserve(more * sizeof(int), Operation);
                        reserved += more;
                    }

                    entries.AddRange(found);
                }
            );
            return _entries = entries;
        }
    }

    protected override void AddEntries(EntrySet set) => set.AddAll(CollectionsMarshal.AsSpan(Entries));

    protected override EntryBatches OpenBatches() => new ListBatches(Entries);

    private sealed class ListBatches(List<int> entries) : EntryBatches
    {
        private int _at;

        public override int Fill(Span<int> into)
        {
            var count = Math.Min(into.Length, entries.Count - _at);
            CollectionsMarshal.AsSpan(entries).Slice(_at, count).CopyTo(into);
            _at += count;
            return count;
        }
    }
}
