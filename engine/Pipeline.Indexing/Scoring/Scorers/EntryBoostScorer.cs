namespace Pipeline.Indexing;

/// <summary>The entries of a scorer, the score of each multiplied by its factor.</summary>
internal sealed class EntryBoostScorer(Scorer inner, EntryFactors factors) : Scorer
{
    public override long Cost => inner.Cost;

    public override float Limit => inner.Limit * factors.Greatest;

    public override float Score() => inner.Score() * factors[Current];

    public override int BlockEnd(int target) => inner.BlockEnd(target);

    public override float MaxScore(int from, int to) => inner.MaxScore(from, to) * factors.Greatest;

    // Rounded down, so that a skipped entry could not have scored more after the multiplication either.
    public override void PassOver(float notMoreThan) =>
        inner.PassOver(MathF.BitDecrement(notMoreThan / factors.Greatest));

    public override int Next() => Current = inner.Next();

    public override int SkipTo(int target) => target <= Current ? Current : Current = inner.SkipTo(target);
}
