using System.Diagnostics;

namespace Pipeline.Indexing;

/// <summary>The entries of an iterator, while time and number are put to the account of a step.</summary>
internal sealed class MeasuredIterator : EntryIterator
{
    private readonly EntryIterator _entries;
    private readonly QueryStep _step;

    public MeasuredIterator(EntryIterator entries, QueryStep step)
    {
        (_entries, _step) = (entries, step);
        step.Actual ??= 0;
    }

    public override long Cost => _entries.Cost;

    public override int Next()
    {
        var start = Stopwatch.GetTimestamp();
        Current = _entries.Next();
        Account(start, Current == End ? 0 : 1);
        return Current;
    }

    public override int SkipTo(int target)
    {
        if (target <= Current)
            return Current;
        var start = Stopwatch.GetTimestamp();
        Current = _entries.SkipTo(target);
        Account(start, Current == End ? 0 : 1);
        return Current;
    }

    public override int Fill(Span<int> entries)
    {
        var start = Stopwatch.GetTimestamp();
        var counted = Current is >= 0 and < End ? 1 : 0;
        var count = _entries.Fill(entries);
        Current = _entries.Current;
        Account(start, count - counted + (Current == End ? 0 : 1));
        return count;
    }

    private void Account(long start, int entries)
    {
        _step.Actual += entries;
        _step.Spend(start);
    }
}
