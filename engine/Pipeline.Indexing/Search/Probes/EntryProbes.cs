namespace Pipeline.Indexing;

/// <summary>Tells of one entry after the other, in any order, whether a step has it. One thread at a time.</summary>
internal abstract class EntryProbe
{
    /// <summary>Whether the step has the entry; of deleted ones it may say anything.</summary>
    public abstract bool Contains(int entry);
}

/// <summary>Has each of several probes' entries, and none of some others'.</summary>
internal sealed class AllProbe(EntryProbe[] all, EntryProbe[] none) : EntryProbe
{
    public override bool Contains(int entry)
    {
        foreach (var probe in all)
        {
            if (!probe.Contains(entry))
                return false;
        }

        foreach (var probe in none)
        {
            if (probe.Contains(entry))
                return false;
        }

        return true;
    }
}

/// <summary>Looks entries up in a posting list; quick for those that rise.</summary>
internal sealed class PostingProbe(QueryExecution execution, TermHandle term) : EntryProbe
{
    private readonly PostingCursor _postings = execution.Open(term);

    public override bool Contains(int entry)
    {
        if (entry < _postings.Current)
            _postings.Open(execution.Reader, term.Record);
        return _postings.SkipTo(entry) == entry;
    }
}
