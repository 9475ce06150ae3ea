namespace Pipeline.Storage;

/// <content>Space after a flush: space that is free as of the checkpoint goes back to the file system.</content>
internal sealed unsafe partial class Flusher
{
    /// <summary>The most free chunks examined in one pass, 4 GiB; the rest waits for the next pass.</summary>
    private const int MaxChunksReleased = 8192;

    /// <summary>The most holes made between pages in use in one go; the rest waits for the next one.</summary>
    private const int MaxScatteredHoles = 4096;

    /// <summary>
    /// The longest time that free pages between pages in use wait for their release while writes continue.
    /// </summary>
    private static readonly TimeSpan ScatteredInterval = TimeSpan.FromSeconds(30);

    /// <summary>The groups of pages in which whole chunks may have become free since the last pass.</summary>
    private readonly SortedSet<long> _freed = [];

    /// <summary>The same for single pages.</summary>
    private readonly SortedSet<long> _scattered = [];
    private long _releasedAt;
    private long _scatteredAt;

    /// <summary>The last transaction at the time space was last released.</summary>
    private long _releasedThrough;
    private bool _tailCut = true;

    /// <summary>The last checkpoint that was written into both meta slots for a cut.</summary>
    private long _repeated;

    /// <summary>
    /// Whether the file reaches beyond the checkpoint's pages by no more than the preallocated space.
    /// </summary>
    public bool IsCut => Volatile.Read(ref _tailCut);

    /// <summary>
    /// Notes the groups whose allocation pages a checkpoint, not yet the store's, has brought to the data file, and
    /// whether it has fewer pages.
    /// </summary>
    private void NoteFreed(List<long> pages, StoreState state)
    {
        if (state.PageCount < _store.Checkpoint.State.PageCount)
            Volatile.Write(ref _tailCut, false);
        foreach (var page in pages)
        {
            if (page % PageLayout.PagesPerGroup == PageLayout.AllocationPageInGroup)
                NoteFreed(page / PageLayout.PagesPerGroup);
        }
    }

    private void NoteFreed(long group)
    {
        _freed.Add(group);
        _scattered.Add(group);
    }

    /// <summary>
    /// Gives back the pages that are free as of the checkpoint, at most once per flush interval unless asked to. A page
    /// that is soon reused is not worth it. For the same reason, free pages between used ones wait until there was no
    /// write for an interval, or for <see cref="ScatteredInterval"/>. The caller holds the flush lock, so the
    /// checkpoint stays, and no reader is older than the checkpoint.
    /// </summary>
    private void ReleaseSpace(bool now)
    {
        var time = _store.Options.TimeProvider;
        if (!now && time.GetElapsedTime(_releasedAt) < _store.Options.FlushInterval)
            return;
        _releasedAt = time.GetTimestamp();
        if (!_tailCut)
            CutTail();
        var published = Volatile.Read(ref _store.Published).TransactionId;
        var scattered = now || published == _releasedThrough || time.GetElapsedTime(_scatteredAt) >= ScatteredInterval;
        _releasedThrough = published;
        if (!_store.Options.PunchHoles || !_store.Data.CanPunch)
            return;
        if (_freed.Count > 0)
            PunchHoles(_freed, MaxChunksReleased, scattered: false);
        if (!scattered || _scattered.Count == 0 || !_store.Data.CanPunch)
            return;
        _scatteredAt = _releasedAt;
        RepeatCheckpoint();
        PunchHoles(_scattered, MaxScatteredHoles, scattered: true);
    }

    /// <summary>
    /// Writes the checkpoint into both meta slots: if one is damaged, the other refers to no released page.
    /// </summary>
    private void RepeatCheckpoint()
    {
        var state = _store.Checkpoint.State;
        if (_repeated != state.TransactionId)
            _store.Checkpoint = WriteCheckpoint([], state);
        _repeated = state.TransactionId;
    }

    /// <summary>
    /// Cuts the file to the checkpoint's pages. Both meta slots have it first: should one be damaged, the other one's
    /// pages are all there.
    /// </summary>
    private void CutTail()
    {
        RepeatCheckpoint();
        var state = _store.Checkpoint.State;
        try
        {
            Volatile.Write(ref _tailCut, _store.Data.CutTail(state.PageCount, state.TransactionId));
        }
        catch (IOException e)
        {
            StorageLog.SpaceNotReleased(_store.Logger, _store.Name, e);
        }
    }

    private void PunchHoles(SortedSet<long> groups, int left, bool scattered)
    {
        var state = Faulty(StorageFaults.PunchPastReaders)
            ? Volatile.Read(ref _store.Published)
            : _store.Checkpoint.State;
        var pages = new ReaderPages(_store.Table, _store.Data, state);
        _store.Readers.Enter(_slot, state.TransactionId);
        try
        {
            foreach (var group in groups.ToArray())
            {
                if (left <= 0)
                    return;
                if (
                    group * PageLayout.PagesPerGroup >= state.PageCount
                    || (
                        scattered
                            ? ReleasePages(pages, group, state, ref left)
                            : ReleaseGroup(pages, group, state, ref left)
                    )
                )
                {
                    groups.Remove(group);
                }
            }
        }
        catch (Exception e) when (e is IOException or StorageException)
        {
            // Only space is lost; a page of the allocation that is damaged is met again, and told, by the writer that
            // needs it.
            StorageLog.SpaceNotReleased(_store.Logger, _store.Name, e);
        }
        finally
        {
            _store.Readers.Leave(_slot);
            pages.Release();
        }
    }

    /// <summary>Returns whether no page is left to release later.</summary>
    private bool ReleaseGroup(ReaderPages pages, long group, StoreState state, ref int left)
    {
        var size = _store.Data.PagesPerChunk;
        var first = group * PageLayout.PagesPerGroup;
        var words = (ulong*)(pages.GetPage(first + PageLayout.AllocationPageInGroup) + PageLayout.HeaderSize);
        var end = (int)(Math.Min(PageLayout.PagesPerGroup, state.PageCount - first) / size);
        var all = true;
        for (var chunk = 0; chunk < end; chunk++)
        {
            var start = chunk;
            while (chunk < end && IsFree(words, chunk * size, size))
                chunk++;
            if (chunk == start)
                continue;
            all &= _store.Data.Punch((first / size) + start, chunk - start, state.TransactionId);
            if ((left -= chunk - start) <= 0)
                return all && chunk == end;
        }
        return all;
    }

    /// <summary>
    /// Releases the free pages of a group that <see cref="ReleaseGroup"/> leaves. Returns whether no page is left to
    /// release later.
    /// </summary>
    private bool ReleasePages(ReaderPages pages, long group, StoreState state, ref int left)
    {
        var size = _store.Data.PagesPerChunk;
        var first = group * PageLayout.PagesPerGroup;
        var words = (ulong*)(pages.GetPage(first + PageLayout.AllocationPageInGroup) + PageLayout.HeaderSize);
        var end = (int)Math.Min(PageLayout.PagesPerGroup, state.PageCount - first);
        var all = true;
        for (var page = 0; page < end && left > 0; page += size)
        {
            var mask = ulong.MaxValue >> (64 - Math.Min(size, end - page));
            var free = ~(words[page >> 6] >> (page & 63)) & mask;
            if (free != 0)
                all &= _store.Data.PunchPages((first + page) / size, free, state.TransactionId, ref left);
        }
        return all && left > 0;
    }

    private static bool IsFree(ulong* words, int bit, int count) =>
        (words[bit >> 6] & (ulong.MaxValue >> (64 - count) << (bit & 63))) == 0;
}
