using System.Diagnostics;

namespace Pipeline.Indexing;

/// <summary>The entries and scores of a scorer, while time and number are put to the account of a step.</summary>
internal sealed class MeasuredScorer : Scorer
{
    private readonly Scorer _scorer;
    private readonly QueryStep _step;

    public MeasuredScorer(Scorer scorer, QueryStep step)
    {
        (_scorer, _step) = (scorer, step);
        step.Actual ??= 0;
    }

    public override long Cost => _scorer.Cost;

    public override float Limit => _scorer.Limit;

    public override float Score()
    {
        var start = Stopwatch.GetTimestamp();
        var score = _scorer.Score();
        _step.Spend(start);
        return score;
    }

    public override int BlockEnd(int target) => _scorer.BlockEnd(target);

    public override float MaxScore(int from, int to) => _scorer.MaxScore(from, to);

    public override void PassOver(float notMoreThan) => _scorer.PassOver(notMoreThan);

    public override int Next()
    {
        var start = Stopwatch.GetTimestamp();
        return Account(start, _scorer.Next());
    }

    public override int SkipTo(int target)
    {
        if (target <= Current)
            return Current;
        var start = Stopwatch.GetTimestamp();
        return Account(start, _scorer.SkipTo(target));
    }

    public override int FillScores(int end, Span<int> entries, Span<float> scores)
    {
        var start = Stopwatch.GetTimestamp();
        var counted = Current is >= 0 and < End ? 1 : 0;
        var count = _scorer.FillScores(end, entries, scores);
        Account(start, _scorer.Current);
        if (count > 0)
            _step.Actual += count - counted;
        return count;
    }

    private int Account(long start, int entry)
    {
        if (entry != End && entry != Current)
            _step.Actual++;
        _step.Spend(start);
        return Current = entry;
    }
}
