namespace Pipeline.Indexing;

/// <summary>Entries of one iterator that another does not have.</summary>
internal sealed class ExclusionIterator(EntryIterator included, EntryIterator excluded) : EntryIterator
{
    public override long Cost => included.Cost;

    public override int Next() => Current == End ? End : Current = Pass(included.Next());

    public override int SkipTo(int target) => target <= Current ? Current : Current = Pass(included.SkipTo(target));

    public override int Fill(Span<int> entries)
    {
        if (Current < 0)
            Next();
        while (Current != End)
        {
            var count = included.Fill(entries);
            if (count == 0)
                break;
            count = Remove(excluded, entries[..count]);
            Current = Pass(included.Current);
            if (count > 0)
                return count;
        }

        return 0;
    }

    /// <summary>
    /// Moves to the front those of the rising entries that an iterator does not have; returns how many.
    /// </summary>
    public static int Remove(EntryIterator excluded, Span<int> entries)
    {
        var (kept, current) = (0, excluded.Current);
        foreach (var entry in entries)
        {
            if (current < entry)
                current = excluded.SkipTo(entry);
            if (current != entry)
                entries[kept++] = entry;
        }

        return kept;
    }

    private int Pass(int entry)
    {
        while (entry != End && excluded.SkipTo(entry) == entry)
            entry = included.Next();
        return entry;
    }
}
