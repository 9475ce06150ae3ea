namespace Pipeline.Storage;

/// <content>
/// Pages whose mapping shows what the file held before a flush wrote there, for the snapshots that are older than that
/// flush. For the flush's thread alone.
/// </content>
internal sealed unsafe partial class DataFile
{
    private readonly AnonymousMemory _frozen;
    private long _frozenPages;

    /// <summary>Bytes of memory that frozen pages take.</summary>
    public long FrozenBytes => Volatile.Read(ref _frozenPages) << PageLayout.PageShift;

    /// <summary>
    /// Freezes what <see cref="WritePages"/> of the versions will overwrite, and adds the ranges that were not frozen
    /// before to a list, in their order.
    /// </summary>
    /// <returns>False, with nothing frozen that was not before, where the system cannot.</returns>
    public bool TryFreeze(ReadOnlySpan<nint> versions, List<(long Page, long Count)> ranges)
    {
        // A larger system page also holds neighbours of the range, and readers must see the file's contents there.
        if (_file.MappedPageBytes > PageLayout.PageSize && (_options.Faults & StorageFaults.FreezeBeyondPages) == 0)
            return false;
        var (start, end) = (0L, 0L);
        foreach (var entry in versions)
        {
            var version = (PageVersion*)entry;
            for (var page = version->PageNumber; page < version->PageNumber + version->PageCount; page++)
            {
                if (IsFrozen(page))
                    continue;
                if (page != end && !TryFreeze(start, end, ranges))
                    return false;
                if (page != end)
                    start = page;
                end = page + 1;
            }
        }
        return TryFreeze(start, end, ranges);
    }

    /// <summary>
    /// Lets ranges that were frozen, and the decrypted pages that are kept, be those of the file again.
    /// </summary>
    public void Thaw(List<(long Page, long Count)> ranges, List<long> pages)
    {
        lock (_mappings)
        {
            foreach (var (page, count) in ranges)
            {
                _file.Thaw(page << PageLayout.PageShift, count << PageLayout.PageShift);
                Mark(page, count, frozen: false);
            }
        }
        _plain?.Invalidate(pages);
    }

    private bool IsFrozen(long page) => (*((long*)_frozen.Address + (page >> 6)) & (1L << (int)(page & 63))) != 0;

    private bool TryFreeze(long start, long end, List<(long Page, long Count)> ranges)
    {
        if (end == start)
            return true;
        ranges.EnsureCapacity(ranges.Count + 1);
        lock (_mappings)
        {
            if (_file.TryFreeze(start << PageLayout.PageShift, (end - start) << PageLayout.PageShift))
            {
                Mark(start, end - start, frozen: true);
                ranges.Add((start, end - start));
                return true;
            }
            foreach (var (page, count) in ranges)
            {
                _file.Thaw(page << PageLayout.PageShift, count << PageLayout.PageShift);
                Mark(page, count, frozen: false);
            }
            ranges.Clear();
            return false;
        }
    }

    private void Mark(long page, long count, bool frozen)
    {
        for (var end = page + count; page < end; page++)
        {
            ref var word = ref *((long*)_frozen.Address + (page >> 6));
            var bit = 1L << (int)(page & 63);
            word = frozen ? word | bit : word & ~bit;
        }
        Interlocked.Add(ref _frozenPages, frozen ? count : -count);
    }
}
