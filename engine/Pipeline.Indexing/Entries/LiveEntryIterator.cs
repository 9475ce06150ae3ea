using System.Numerics;

namespace Pipeline.Indexing;

/// <summary>All entries that are not deleted.</summary>
internal sealed class LiveEntryIterator : EntryIterator
{
    private readonly EntryBitmap? _gone;
    private readonly int _end;
    private readonly int _count;

    public LiveEntryIterator(EntryBitmap? gone, int end, int count) => (_gone, _end, _count) = (gone, end, count);

    public override long Cost => _count;

    public override int Next() => Current == End ? End : Find(Current + 1);

    public override int SkipTo(int target) => target <= Current ? Current : Find(target);

    private int Find(int entry)
    {
        if (entry >= _end)
            return Current = End;
        if (_gone is null)
            return Current = entry;
        for (var word = entry >> 6; word << 6 < _end; word++)
        {
            var live = ~_gone.Word(word);
            if (word == entry >> 6)
                live &= ulong.MaxValue << (entry & 63);
            if (live == 0)
                continue;
            entry = (word << 6) + BitOperations.TrailingZeroCount(live);
            return Current = entry < _end ? entry : End;
        }

        return Current = End;
    }
}
