namespace Pipeline.Indexing;

/// <summary>Entries of a scorer that an iterator does not have.</summary>
internal sealed class ExclusionScorer(Scorer included, EntryIterator excluded) : Scorer
{
    public override long Cost => included.Cost;

    public override float Limit => included.Limit;

    public override float Score() => included.Score();

    public override int BlockEnd(int target) => included.BlockEnd(target);

    public override float MaxScore(int from, int to) => included.MaxScore(from, to);

    public override void PassOver(float notMoreThan) => included.PassOver(notMoreThan);

    public override int Next() => Current == End ? End : Current = Pass(included.Next());

    public override int SkipTo(int target) => target <= Current ? Current : Current = Pass(included.SkipTo(target));

    private int Pass(int entry)
    {
        while (entry != End && excluded.SkipTo(entry) == entry)
            entry = included.Next();
        return entry;
    }
}
