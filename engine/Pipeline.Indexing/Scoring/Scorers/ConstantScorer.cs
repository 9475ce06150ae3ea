namespace Pipeline.Indexing;

/// <summary>The entries of an iterator, all with one score.</summary>
internal sealed class ConstantScorer(EntryIterator entries, float score) : Scorer
{
    private bool _over;

    public override long Cost => entries.Cost;

    public override float Limit => score;

    public override float Score() => score;

    public override int Next() => Current = _over ? End : entries.Next();

    public override int SkipTo(int target) => Current = _over ? End : entries.SkipTo(target);

    public override int Fill(Span<int> into)
    {
        if (_over)
            return 0;
        var count = entries.Fill(into);
        Current = entries.Current;
        return count;
    }

    public override void PassOver(float notMoreThan)
    {
        // Only later entries are skipped: the current one stays.
        if (score <= notMoreThan)
            _over = true;
    }

    public override int FillScores(int end, Span<int> into, Span<float> scores)
    {
        var entry = Current < 0 ? Next() : Current;
        var count = 0;
        for (; count < into.Length && entry < end; entry = entries.Next())
            into[count++] = entry;
        scores[..count].Fill(score);
        Current = entry;
        return count;
    }
}
