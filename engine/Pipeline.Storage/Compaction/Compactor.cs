namespace Pipeline.Storage;

/// <summary>
/// Moves pages from the end of the data file to gaps before them, by ordinary write transactions of bounded size. It
/// then lowers the page count and has the flush truncate the file. Readers keep their snapshots, as after any change.
/// If the token, a crash or closing stops it, the store is as after any other transaction.
/// </summary>
internal sealed class Compactor(StoreContext store, Flusher flusher, Committer committer) : IDisposable
{
    /// <summary>
    /// A further pass moves pages written behind the boundary since, and runs for which there is now a gap.
    /// </summary>
    private const int MaxPasses = 6;

    private readonly SemaphoreSlim _one = new(1);
    private readonly CancellationTokenSource _closing = new();

    public async Task<CompactionReport> RunAsync(
        CompactionOptions options,
        IProgress<CompactionProgress>? progress,
        CancellationToken ct
    )
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(ct, _closing.Token);
        await _one.WaitAsync(both.Token).ConfigureAwait(false);
        try
        {
            var before = Volatile.Read(ref store.Published);
            var bytes = store.Data.Length;
            StorageLog.CompactionBegun(store.Logger, store.Name, before.PageCount, before.FreePages);
            var all = 0L;
            for (var pass = 0; pass < MaxPasses; pass++)
            {
                var moved = await WalkAsync(onlyRuns: true, all, options, progress, both.Token).ConfigureAwait(false);
                moved += await WalkAsync(onlyRuns: false, all + moved, options, progress, both.Token)
                    .ConfigureAwait(false);
                all += moved;
                await committer.EnqueueAsync(static t => t.Writer.CutTail(), both.Token).ConfigureAwait(false);
                if (moved == 0)
                    break;
            }
            var after = Volatile.Read(ref store.Published);
            flusher.FlushOnce(release: true);
            var isCut = flusher.IsCut && store.Checkpoint.State.TransactionId >= after.TransactionId;
            var report = new CompactionReport(
                all,
                before.PageCount,
                after.PageCount,
                after.PageCount - after.FreePages,
                bytes,
                store.Data.Length,
                isCut
            );
            StorageLog.CompactionEnded(store.Logger, store.Name, report);
            return report;
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Stops a running compaction and waits for it.</summary>
    public void Stop()
    {
        _closing.Cancel();
        _one.Wait();
    }

    public void Dispose() => _closing.Dispose();

    private async Task<long> WalkAsync(
        bool onlyRuns,
        long movedBefore,
        CompactionOptions options,
        IProgress<CompactionProgress>? progress,
        CancellationToken ct
    )
    {
        var time = store.Options.TimeProvider;
        var moved = 0L;
        for (var position = CompactionWalk.Start; position is not null; )
        {
            var state = Volatile.Read(ref store.Published);
            var used = state.PageCount - state.FreePages;
            if (state.FreePages == 0)
                return moved;
            var (from, started) = (position, time.GetTimestamp());
            (position, var pages) = await committer
                .EnqueueAsync(
                    t =>
                    {
                        var step = new CompactionStep(t.Writer, used, onlyRuns);
                        return (CompactionWalk.Step(t, from, step), step.PagesMoved);
                    },
                    ct
                )
                .ConfigureAwait(false);
            moved += pages;
            progress?.Report(new CompactionProgress(movedBefore + moved, state.PageCount, used));
            if (options.MaxBytesPerSecond <= 0 || pages == 0)
                continue;
            var wait =
                TimeSpan.FromSeconds((double)(pages << PageLayout.PageShift) / options.MaxBytesPerSecond)
                - time.GetElapsedTime(started);
            if (wait > TimeSpan.Zero)
                await Task.Delay(wait, time, ct).ConfigureAwait(false);
        }
        return moved;
    }
}
