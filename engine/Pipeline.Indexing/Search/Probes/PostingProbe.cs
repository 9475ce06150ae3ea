namespace Pipeline.Indexing;

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
