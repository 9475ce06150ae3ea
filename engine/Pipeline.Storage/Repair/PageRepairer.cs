namespace Pipeline.Storage;

/// <summary>What became of the attempt to repair a page.</summary>
/// <param name="IsSettled">Whether the page needs no further attempt.</param>
/// <param name="Repaired">What was written; null if nothing was.</param>
/// <param name="Problem">Why the page is still damaged; null if it is not.</param>
internal readonly record struct RepairOutcome(bool IsSettled, RepairedPage? Repaired, string? Problem)
{
    /// <summary>The page is free, sound, or about to be written by the next flush.</summary>
    public static RepairOutcome NotNeeded { get; } = new(true, null, null);

    /// <summary>It was rewritten.</summary>
    public static RepairOutcome Done(RepairedPage repaired) => new(true, repaired, null);

    /// <summary>The page is still damaged.</summary>
    public static RepairOutcome Failed(string problem) => new(false, null, problem);
}

/// <summary>Rewrites damaged pages of the data file with the content that another store has. Thread-safe.</summary>
/// <remarks>
/// Why the content is right: stores that are equal page by page write the transaction of the last change into each
/// page. While no flush runs, the file must hold the pages as of the checkpoint. A page that the other store has in use as
/// of the checkpoint or later, and has not changed since the checkpoint, is therefore the page that belongs there.
/// </remarks>
internal sealed class PageRepairer(Func<string, ReadTransaction> beginRead, StoreContext store, Flusher flusher)
{
    private const int Attempts = 5;

    /// <summary>Repairs one page, or the run that begins there.</summary>
    /// <param name="page">The page.</param>
    /// <param name="tree">The tree that it belongs to, if known.</param>
    /// <param name="source">Gives the content.</param>
    /// <param name="ct">Ends the attempt.</param>
    public async Task<RepairOutcome> TryAsync(long page, string? tree, IPageSource source, CancellationToken ct)
    {
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            long transaction;
            using (var snapshot = beginRead("repair"))
            {
                if (!IsUsed(snapshot, page))
                    return RepairOutcome.NotNeeded;
                transaction = snapshot.Id;
            }
            if (flusher.WithoutFlush(() => IsSound(page)))
                return RepairOutcome.NotNeeded;
            if (await source.FetchAsync(page, transaction, ct).ConfigureAwait(false) is not { } copy)
                return RepairOutcome.Failed("no other store can give the page now");
            if (Check(page, copy) is { } problem)
                return RepairOutcome.Failed($"the page from {copy.Source} cannot be used: {problem}");
            if (flusher.WithoutFlush(() => Write(page, tree, copy)) is { } outcome)
                return outcome;
        }
        return RepairOutcome.Failed($"the store wrote checkpoints too fast, {Attempts} times");
    }

    private static bool IsUsed(ReadTransaction snapshot, long page)
    {
        try
        {
            return UsedPages.Includes(snapshot, page);
        }
        catch (CorruptPageException)
        {
            // This store cannot tell, and the other one does.
            return true;
        }
    }

    /// <summary>Whether the file holds a sound page or run there, as after a flush that has rewritten it.</summary>
    private unsafe bool IsSound(long page)
    {
        using var buffer = new NativeBuffer(wipe: store.Cipher is not null);
        var count = store.Data.CountPages(page);
        return count > 0
            && store.Data.ReadVerified(page, count, buffer.Ensure((long)count << PageLayout.PageShift)) is null;
    }

    private static unsafe string? Check(long page, PageCopy copy)
    {
        var bytes = copy.Bytes.Length;
        if (bytes == 0 || bytes % PageLayout.PageSize != 0)
            return $"it has {bytes} bytes";
        fixed (byte* start = copy.Bytes.Span)
        {
            var count = bytes >> PageLayout.PageShift;
            return PageChecksum.Check(start, page, count)
                ?? (
                    PageLayout.PagesOf(start) == count
                        ? null
                        : $"it has {count} pages, its header says {PageLayout.PagesOf(start)}"
                );
        }
    }

    /// <summary>Writes the copy; null if the checkpoint is newer than it.</summary>
    private unsafe RepairOutcome? Write(long page, string? tree, PageCopy copy)
    {
        if (store.Failure is { } failure)
            return RepairOutcome.Failed(failure.Message);
        var checkpoint = store.Checkpoint.State.TransactionId;
        if (copy.Transaction < checkpoint)
            return null;
        var count = copy.Bytes.Length >> PageLayout.PageShift;
        if ((page + count) << PageLayout.PageShift > store.Data.Length)
            return RepairOutcome.Failed("the data file ends before the page");
        fixed (byte* start = copy.Bytes.Span)
        {
            if (PageLayout.Transaction(start) is var changed && changed > checkpoint)
            {
                // If this store has the change, too, the next flush writes it.
                return store.Table.Find(page, long.MaxValue) != null
                    ? RepairOutcome.NotNeeded
                    : RepairOutcome.Failed(
                        $"{copy.Source} has changed it in transaction {changed}, and this store is at {checkpoint}"
                    );
            }
            using var found = new NativeBuffer(wipe: store.Cipher is not null);
            var output = found.Ensure((long)count << PageLayout.PageShift);
            if (store.Data.ReadVerified(page, count, output) is null)
                return RepairOutcome.NotNeeded;
            try
            {
                store.Data.Rewrite(page, count, start);
                store.Data.Sync();
            }
            catch (IOException e)
            {
                return RepairOutcome.Failed($"it cannot be written: {e.Message.TrimEnd('.')}");
            }
            return store.Data.ReadVerified(page, count, output) is { } still
                ? RepairOutcome.Failed($"the disk does not keep it: {still}")
                : RepairOutcome.Done(new RepairedPage(page, tree, copy.Source, store.Options.TimeProvider.GetUtcNow()));
        }
    }
}
