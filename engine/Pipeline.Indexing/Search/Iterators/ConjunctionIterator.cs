namespace Pipeline.Indexing;

/// <summary>Entries that all iterators have. The cheapest leads; the others only look for its entries.</summary>
internal sealed class ConjunctionIterator : EntryIterator
{
    private readonly EntryIterator _lead;
    private readonly EntryIterator[] _others;

    /// <summary>Puts iterators together, at least two.</summary>
    public ConjunctionIterator(params ReadOnlySpan<EntryIterator> iterators)
    {
        var sorted = iterators.ToArray();
        Array.Sort(sorted, static (a, b) => a.Cost.CompareTo(b.Cost));
        (_lead, _others) = (sorted[0], sorted[1..]);
    }

    public override long Cost => _lead.Cost;

    public override int Next() => Current == End ? End : Current = Agree(_lead.Next());

    public override int SkipTo(int target) => target <= Current ? Current : Current = Agree(_lead.SkipTo(target));

    public override int Fill(Span<int> entries)
    {
        if (Current < 0)
            Next();
        while (Current != End)
        {
            // The lead stands on an entry that all have; what follows in bulk is yet to be found in the others.
            var count = _lead.Fill(entries);
            foreach (var other in _others)
                count = Keep(other, entries[..count]);
            Current = Agree(_lead.Current);
            if (count > 0)
                return count;
        }

        return 0;
    }

    /// <summary>Moves to the front those of the rising entries that an iterator has too; returns how many.</summary>
    public static int Keep(EntryIterator other, Span<int> entries)
    {
        if (other is SetIterator set)
        {
            var found = 0;
            foreach (var entry in entries)
            {
                entries[found] = entry;
                if (set.Contains(entry))
                    found++;
            }

            return found;
        }

        var (kept, current) = (0, other.Current);
        foreach (var entry in entries)
        {
            if (current < entry)
                current = other.SkipTo(entry);
            if (current == entry)
                entries[kept++] = entry;
        }

        return kept;
    }

    private int Agree(int entry)
    {
        while (entry != End)
        {
            var highest = entry;
            foreach (var other in _others)
            {
                highest = other.SkipTo(entry);
                if (highest > entry)
                    break;
            }

            if (highest == entry)
                return entry;
            entry = _lead.SkipTo(highest);
        }

        return End;
    }
}
