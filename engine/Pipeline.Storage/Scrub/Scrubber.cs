namespace Pipeline.Storage;

/// <summary>Runs scrubs, one at a time, on demand and from time to time. Thread-safe.</summary>
internal sealed class Scrubber(Func<string, ReadTransaction> beginRead, StoreContext store, Flusher flusher)
    : IDisposable
{
    private const long MostBytesInSnapshot = 4 << 20;
    private const long FewestBytesInSnapshot = 64 << 10;
    private const int MostLogged = 100;

    // No record is kept of the last scrub before the opening.
    private static readonly TimeSpan FirstAfter = TimeSpan.FromHours(1);
    private readonly SemaphoreSlim _one = new(1);
    private readonly CancellationTokenSource _closing = new();
    private readonly Lock _gate = new();
    private CancellationTokenSource? _background;
    private ScrubReport? _last;
    private IReadOnlyList<DamagedPage> _found = [];
    private ScrubProgress _progress;
    private bool _running;

    /// <summary>The known facts.</summary>
    public ScrubStatistics Statistics
    {
        get
        {
            lock (_gate)
            {
                return new ScrubStatistics(
                    _running,
                    _progress,
                    [.. (_last?.Damaged ?? []).Concat(_found).DistinctBy(static d => d.Page)],
                    _last
                );
            }
        }
    }

    /// <summary>Begins the scrubs in the background, where the options ask for them.</summary>
    public void Start()
    {
        if (store.Options is { ScrubInterval: { } interval, Deterministic: false } && store.Journal is not null)
            _ = RepeatAsync(interval);
    }

    /// <summary>Runs one; one in the background ends for it, another one is waited for.</summary>
    public async Task<ScrubReport> RunAsync(
        ScrubOptions options,
        IProgress<ScrubProgress>? progress,
        CancellationToken ct
    )
    {
        lock (_gate)
            _background?.Cancel();
        using var both = CancellationTokenSource.CreateLinkedTokenSource(ct, _closing.Token);
        try
        {
            return await RunAloneAsync(options, progress, both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (_closing.IsCancellationRequested && !ct.IsCancellationRequested)
        {
            throw new ObjectDisposedException("The store was closed while it was being scrubbed.", e);
        }
    }

    /// <summary>Stops a running scrub and waits for it.</summary>
    public void Stop()
    {
        _closing.Cancel();
        _one.Wait();
    }

    public void Dispose() => _closing.Dispose();

    private async Task RepeatAsync(TimeSpan interval)
    {
        try
        {
            for (var wait = interval < FirstAfter ? interval : FirstAfter; ; wait = interval)
            {
                await Task.Delay(wait, store.Options.TimeProvider, _closing.Token).ConfigureAwait(false);
                await RunInBackgroundAsync().ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            // Closing.
        }
    }

    private async Task RunInBackgroundAsync()
    {
        using var background = CancellationTokenSource.CreateLinkedTokenSource(_closing.Token);
        lock (_gate)
            _background = background;
        try
        {
            await RunAloneAsync(
                    new ScrubOptions { BytesPerSecond = store.Options.ScrubBytesPerSecond },
                    null,
                    background.Token
                )
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!_closing.IsCancellationRequested)
        {
            // Another scrub was requested, and it covers everything.
        }
        catch (Exception e) when (e is StorageException or InvalidOperationException and not ObjectDisposedException)
        {
            StorageLog.ScrubFailed(store.Logger, store.Name, e);
        }
        finally
        {
            lock (_gate)
                _background = null;
        }
    }

    private async Task<ScrubReport> RunAloneAsync(
        ScrubOptions options,
        IProgress<ScrubProgress>? progress,
        CancellationToken ct
    )
    {
        await _one.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            return await Task.Run(() => ScrubAsync(options, progress, ct), ct).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
                _running = false;
            _one.Release();
        }
    }

    private async Task<ScrubReport> ScrubAsync(
        ScrubOptions options,
        IProgress<ScrubProgress>? progress,
        CancellationToken ct
    )
    {
        var time = store.Options.TimeProvider;
        var (started, startedAt) = (time.GetTimestamp(), time.GetUtcNow());
        var atOnce = Math.Clamp(
            (options.BytesPerSecond ?? long.MaxValue) / 4,
            FewestBytesInSnapshot,
            MostBytesInSnapshot
        );
        using var walk = new ScrubWalk(store, options.BytesInSnapshot ?? atOnce);
        lock (_gate)
            _running = true;
        foreach (var (page, reason) in flusher.CheckMetas())
            walk.Add(new DamagedPage(store.Data.Path, page, "(meta)", reason, null));
        var (more, logged) = (true, 0);
        while (more)
        {
            var before = walk.At;
            more = Step(walk, ct);
            if (walk.IsSuspicious)
            {
                walk.At = before;
                more = flusher.WithoutFlush(() => Step(walk, ct));
                walk.Believe();
            }
            StorageMetrics.Scrubbed(store.Name, walk.At.Bytes - before.Bytes);
            for (; logged < Math.Min(MostLogged, walk.Damaged.Count); logged++)
                StorageLog.DamageFound(store.Logger, store.Name, walk.Damaged[logged]);
            var state = Volatile.Read(ref store.Published);
            var now = new ScrubProgress(
                walk.Trees[Math.Min(walk.At.Tree, walk.Trees.Count - 1)],
                walk.At.Pages + walk.At.PagesInMemory,
                state.PageCount - state.FreePages,
                walk.DamagedPages
            );
            lock (_gate)
                (_progress, _found) = (now, [.. walk.Damaged]);
            progress?.Report(now);
            if (
                options.BytesPerSecond is { } limit
                && more
                && TimeSpan.FromSeconds((double)walk.At.Bytes / limit) - time.GetElapsedTime(started) is var wait
                && wait > TimeSpan.Zero
            )
            {
                await Task.Delay(wait, time, ct).ConfigureAwait(false);
            }
        }
        var report = new ScrubReport(
            startedAt,
            time.GetElapsedTime(started),
            walk.At.Pages,
            walk.At.PagesInMemory,
            walk.Trees.Count,
            walk.Damaged,
            walk.DamagedPages
        );
        lock (_gate)
            (_last, _found) = (report, []);
        StorageLog.Scrubbed(
            store.Logger,
            store.Name,
            report.Pages,
            (long)report.Duration.TotalMilliseconds,
            report.DamagedPages
        );
        return report;
    }

    private bool Step(ScrubWalk walk, CancellationToken ct)
    {
        using var read = beginRead("scrub");
        return walk.Step(read, ct);
    }
}
