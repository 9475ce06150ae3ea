namespace Pipeline.Indexing;

/// <summary>
/// Rising entries with scores, and bounds on the scores to come. A search for the best uses the bounds to skip entries.
/// Scores are finite and 0 or more.
/// </summary>
internal abstract class Scorer : EntryIterator
{
    /// <summary>No score is greater.</summary>
    public abstract float Limit { get; }

    /// <summary>The score of <see cref="EntryIterator.Current"/>, which must be an entry.</summary>
    public abstract float Score();

    /// <summary>
    /// The last entry of the stretch from <paramref name="target"/> on over which bounds are worth asking for; reads no
    /// postings.
    /// </summary>
    public virtual int BlockEnd(int target) => End - 1;

    /// <summary>
    /// No score of the entries from one to another, both included, is greater. Calls must not go back before an earlier
    /// <paramref name="from"/>.
    /// </summary>
    public virtual float MaxScore(int from, int to) => Limit;

    /// <summary>
    /// Allows <see cref="EntryIterator.Next"/> and <see cref="EntryIterator.SkipTo"/> to pass over entries that do not
    /// score more than this.
    /// </summary>
    public virtual void PassOver(float notMoreThan) { }

    /// <summary>
    /// Copies entries less than <paramref name="end"/> with their scores, from the current one on and as many as fit.
    /// Moves to the first one not copied. A partly filled span does not mean the end of the stretch; 0 entries do.
    /// </summary>
    public virtual int FillScores(int end, Span<int> entries, Span<float> scores)
    {
        var entry = Current < 0 ? Next() : Current;
        var count = 0;
        while (count < entries.Length && entry < end)
        {
            entries[count] = entry;
            scores[count++] = Score();
            entry = Next();
        }

        return count;
    }
}
