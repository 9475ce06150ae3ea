namespace Pipeline.Indexing;

/// <summary>
/// Rising entry numbers: what a posting list, a filter or a whole query gives. All that searches composes these.
/// </summary>
/// <remarks>
/// <para>
/// Before the first call of <see cref="Next"/> or <see cref="SkipTo"/>, <see cref="Current"/> is −1. At the end it is
/// <see cref="End"/>, and stays so: calling on is legal and returns <see cref="End"/>. Numbers never fall and never
/// repeat.
/// </para>
/// <para>Not thread-safe. An iterator over stored lists ends with the reader that it is from.</para>
/// </remarks>
public abstract class EntryIterator
{
    /// <summary>The end marker behind the last entry; greater than every entry number.</summary>
    public const int End = int.MaxValue;

    /// <summary>The entry that the iterator is on: −1 before the first, <see cref="End"/> behind the last.</summary>
    public int Current { get; protected set; } = -1;

    /// <summary>An estimate of how many entries there are in all; only speed depends on it.</summary>
    public abstract long Cost { get; }

    /// <summary>Goes to the next entry and returns it.</summary>
    public abstract int Next();

    /// <summary>
    /// Goes to the first entry that is not less than <paramref name="target"/>, never back: where the current one is
    /// not less, it stays.
    /// </summary>
    public abstract int SkipTo(int target);

    /// <summary>
    /// Copies the current entry and those that follow it, as many as fit, and moves to the first one not copied. Before
    /// the first entry it starts with the first. A partly filled span does not mean the end; 0 entries do.
    /// </summary>
    /// <returns>How many were copied; 0 at the end, or if the span is empty.</returns>
    public virtual int Fill(Span<int> entries)
    {
        var entry = Current < 0 ? Next() : Current;
        var count = 0;
        while (count < entries.Length && entry != End)
        {
            entries[count++] = entry;
            entry = Next();
        }

        return count;
    }
}
