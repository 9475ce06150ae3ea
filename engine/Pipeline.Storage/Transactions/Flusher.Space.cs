namespace Pipeline.Storage;

/// <content>What follows a flush: space that is free as of the checkpoint goes back to the file system.</content>
internal sealed unsafe partial class Flusher
{
    /// <summary>The most free chunks looked at in one go, 4 GiB; the rest waits for the next one.</summary>
    private const int MaxChunksReleased = 8192;

    /// <summary>The groups of pages in which some may have become free since they were last looked through.</summary>
    private readonly SortedSet<long> _freed = [];
    private long _releasedAt;
    private bool _tailCut = true;

    /// <summary>The last checkpoint that was written into both meta slots for a cut.</summary>
    private long _repeated;

    /// <summary>Whether the file does not reach beyond the checkpoint's pages by more than what is preallocated.</summary>
    public bool IsCut => Volatile.Read(ref _tailCut);

    /// <summary>Notes the groups whose allocation pages a checkpoint, not yet the store's, has brought to the data file, and whether it has fewer pages.</summary>
    private void NoteFreed(List<long> pages, StoreState state)
    {
        if (state.PageCount < _store.Checkpoint.State.PageCount)
            Volatile.Write(ref _tailCut, false);
        foreach (var page in pages)
        {
            if (page % PageLayout.PagesPerGroup == PageLayout.AllocationPageInGroup)
                _freed.Add(page / PageLayout.PagesPerGroup);
        }
    }

    /// <summary>
    /// Gives back what is free as of the checkpoint, no more often than each flush interval unless asked to: what is soon used again is not worth it. The
    /// caller has the flush's lock, so that the checkpoint stays, and no reader is older than that.
    /// </summary>
    private void ReleaseSpace(bool now)
    {
        var time = _store.Options.TimeProvider;
        if (!now && time.GetElapsedTime(_releasedAt) < _store.Options.FlushInterval)
            return;
        _releasedAt = time.GetTimestamp();
        if (!_tailCut)
            CutTail();
        if (_freed.Count > 0 && _store.Options.PunchHoles && _store.Data.CanPunch)
            PunchHoles();
    }

    /// <summary>
    /// Cuts the file to the checkpoint's pages. Both meta slots have it first: should one be damaged, the other one's pages are all there.
    /// </summary>
    private void CutTail()
    {
        var state = _store.Checkpoint.State;
        if (_repeated != state.TransactionId)
            _store.Checkpoint = WriteCheckpoint([], state);
        _repeated = state.TransactionId;
        try
        {
            Volatile.Write(ref _tailCut, _store.Data.CutTail(state.PageCount, state.TransactionId));
        }
        catch (IOException e)
        {
            StorageLog.SpaceNotReleased(_store.Logger, _store.Name, e);
        }
    }

    private void PunchHoles()
    {
        var state = Faulty(StorageFaults.PunchPastReaders) ? Volatile.Read(ref _store.Published) : _store.Checkpoint.State;
        var pages = new ReaderPages(_store.Table, _store.Data, state);
        _store.Readers.Enter(_slot, state.TransactionId);
        try
        {
            var left = MaxChunksReleased;
            foreach (var group in _freed.ToArray())
            {
                if (left <= 0)
                    return;
                if (group * PageLayout.PagesPerGroup >= state.PageCount || ReleaseGroup(pages, group, state, ref left))
                    _freed.Remove(group);
            }
        }
        catch (Exception e) when (e is IOException or StorageException)
        {
            // Only space is lost; a page of the allocation that is damaged is met again, and told, by the writer that needs it.
            StorageLog.SpaceNotReleased(_store.Logger, _store.Name, e);
        }
        finally
        {
            _store.Readers.Leave(_slot);
            pages.Release();
        }
    }

    /// <summary>Returns whether nothing is left to be given back later.</summary>
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

    private static bool IsFree(ulong* words, int bit, int count) => (words[bit >> 6] & (ulong.MaxValue >> (64 - count) << (bit & 63))) == 0;
}
