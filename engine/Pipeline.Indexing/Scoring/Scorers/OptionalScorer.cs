namespace Pipeline.Indexing;

/// <summary>The entries of one scorer; if the other has the entry too, its score is added.</summary>
internal sealed class OptionalScorer(Scorer required, Scorer optional) : Scorer
{
    public override long Cost => required.Cost;

    public override float Limit { get; } = (float)((double)required.Limit + optional.Limit);

    public override float Score()
    {
        var score = (double)required.Score();
        if (optional.SkipTo(Current) == Current)
            score += optional.Score();
        return (float)score;
    }

    public override int BlockEnd(int target) => Math.Min(required.BlockEnd(target), optional.BlockEnd(target));

    public override float MaxScore(int from, int to) =>
        (float)((double)required.MaxScore(from, to) + optional.MaxScore(from, to));

    public override void PassOver(float notMoreThan)
    {
        var needed = MathF.BitDecrement(notMoreThan - optional.Limit);
        if (needed > 0)
            required.PassOver(needed);
    }

    public override int Next() => Current = required.Next();

    public override int SkipTo(int target) => Current = required.SkipTo(target);
}
