using System.Numerics;

namespace Pipeline.Indexing;

/// <summary>The entries of a bitmap, which must not change or be disposed during the iteration.</summary>
internal sealed class BitmapIterator(EntrySet bitmap, long cost) : SetIterator
{
    public override long Cost => cost;

    public override bool Contains(int entry) => bitmap.Contains(entry);

    public override int Next() => Current == End ? End : From(Current + 1);

    public override int SkipTo(int target) => target <= Current ? Current : From(target);

    public override int Fill(Span<int> entries)
    {
        if (Current < 0)
            Next();
        if (Current == End || entries.Length == 0)
            return 0;
        var words = bitmap.Words;
        var at = Current >> 6;
        var word = words[at] & (ulong.MaxValue << Current);
        var count = 0;
        while (true)
        {
            for (; word != 0; word &= word - 1)
            {
                var entry = (at << 6) + BitOperations.TrailingZeroCount(word);
                if (count == entries.Length)
                {
                    Current = entry;
                    return count;
                }

                entries[count++] = entry;
            }

            if (++at >= words.Length)
                break;
            word = words[at];
        }

        Current = End;
        return count;
    }

    private int From(int target)
    {
        var words = bitmap.Words;
        var at = target >> 6;
        if (at >= words.Length)
            return Current = End;
        var word = words[at] & (ulong.MaxValue << target);
        while (word == 0)
        {
            if (++at >= words.Length)
                return Current = End;
            word = words[at];
        }

        return Current = (at << 6) + BitOperations.TrailingZeroCount(word);
    }
}
