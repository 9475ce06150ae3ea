namespace Pipeline.Storage;

/// <summary>Runs scrubs, one at a time, on demand and from time to time. Thread-safe.</summary>
internal sealed class Scrubber : IDisposable
{
    private const int MaxRepaired = 1_000;
    private const long MaxBytesInSnapshot = 4 << 20;
    private const long FewestBytesInSnapshot = 64 << 10;
    private const int MaxLogged = 100;

    // No record is kept of the last scrub before the opening.
    private static readonly TimeSpan FirstAfter = TimeSpan.FromHours(1);
    private readonly Func<string, ReadTransaction> _beginRead;
    private readonly StoreContext _store;
    private readonly Flusher _flusher;
    private readonly DamageQueue _damage;
    private readonly Queue<RepairedPage> _repaired = new();
    private readonly SemaphoreSlim _one = new(1);
    private readonly CancellationTokenSource _closing = new();
    private readonly Lock _gate = new();
    private CancellationTokenSource? _background;
    private ScrubReport? _last;
    private IReadOnlyList<DamagedPage> _found = [];
    private ScrubProgress _progress;
    private bool _running;
    private long _repairedPages;

    public Scrubber(Func<string, ReadTransaction> beginRead, StoreContext store, Flusher flusher)
    {
        (_beginRead, _store, _flusher) = (beginRead, store, flusher);
        _damage = new DamageQueue(store, new PageRepairer(beginRead, store, flusher), _closing.Token)
        {
            Settled = Note,
        };
        store.Data.DamageFound = _damage.Add;
    }

    /// <summary>Where damaged pages are fetched from; null if there is no equal store.</summary>
    public IPageSource? Source
    {
        get => _damage.Source;
        set => _damage.Source = value;
    }

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
                )
                {
                    Repaired = [.. _repaired],
                    RepairedPages = _repairedPages,
                };
            }
        }
    }

    /// <summary>Begins the scrubs in the background, where the options ask for them.</summary>
    public void Start()
    {
        if (_store.Options is { ScrubInterval: { } interval, Deterministic: false } && _store.Journal is not null)
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
        _damage.Stop();
    }

    public void Dispose() => _closing.Dispose();

    private async Task RepeatAsync(TimeSpan interval)
    {
        try
        {
            for (var wait = interval < FirstAfter ? interval : FirstAfter; ; wait = interval)
            {
                await Task.Delay(wait, _store.Options.TimeProvider, _closing.Token).ConfigureAwait(false);
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
                    new ScrubOptions { BytesPerSecond = _store.Options.ScrubBytesPerSecond },
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
            StorageLog.ScrubFailed(_store.Logger, _store.Name, e);
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
        var time = _store.Options.TimeProvider;
        var (started, startedAt) = (time.GetTimestamp(), time.GetUtcNow());
        var atOnce = Math.Clamp(
            (options.BytesPerSecond ?? long.MaxValue) / 4,
            FewestBytesInSnapshot,
            MaxBytesInSnapshot
        );
        using var walk = new ScrubWalk(_store, options.BytesInSnapshot ?? atOnce);
        long repairedBefore;
        lock (_gate)
            (_running, repairedBefore) = (true, _repairedPages);
        foreach (var (page, reason) in _flusher.CheckMetas())
            walk.Add(new DamagedPage(_store.Data.Path, page, "(meta)", reason, null));
        var (more, logged) = (true, 0);
        var tried = new HashSet<long>();
        while (more)
        {
            var before = walk.At;
            more = Step(walk, ct);
            if (walk.IsSuspicious)
            {
                walk.At = before;
                more = _flusher.WithoutFlush(() => Step(walk, ct));
                while (await RepairAsync(walk, tried, ct).ConfigureAwait(false))
                {
                    // Only now what lies under a repaired page can be verified.
                    walk.At = before;
                    more = _flusher.WithoutFlush(() => Step(walk, ct));
                }
                walk.Believe();
            }
            StorageMetrics.Scrubbed(_store.Name, walk.At.Bytes - before.Bytes);
            for (; logged < Math.Min(MaxLogged, walk.Damaged.Count); logged++)
                StorageLog.DamageFound(_store.Logger, _store.Name, walk.Damaged[logged]);
            var state = Volatile.Read(ref _store.Published);
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
        {
            var repaired = (int)Math.Min(_repairedPages - repairedBefore, _repaired.Count);
            report = report with { Repaired = [.. _repaired.TakeLast(repaired)] };
            (_last, _found) = (report, []);
        }
        foreach (var damage in report.Damaged.Where(d => d.Page >= PageLayout.AllocationPageInGroup))
            _damage.Add(damage.Page);
        StorageLog.Scrubbed(
            _store.Logger,
            _store.Name,
            report.Pages,
            (long)report.Duration.TotalMilliseconds,
            report.DamagedPages
        );
        return report;
    }

    /// <summary>
    /// Repairs what the last step found, each page once in a scrub. Returns whether any page is settled, so that the
    /// step is worth repeating.
    /// </summary>
    private async Task<bool> RepairAsync(ScrubWalk walk, HashSet<long> tried, CancellationToken ct)
    {
        var any = false;
        foreach (var suspect in walk.Suspects.ToArray())
        {
            if (!tried.Add(suspect.Page))
                continue;
            var outcome = await _damage.TryAsync(suspect.Page, suspect.Tree, ct).ConfigureAwait(false);
            if (outcome?.Problem is { } problem)
                StorageLog.PageNotRepaired(_store.Logger, _store.Name, suspect.Page, problem);
            any |= outcome is { IsSettled: true };
        }
        return any;
    }

    /// <summary>Notes that a page is not damaged any more, and how it was repaired.</summary>
    private void Note(long page, RepairedPage? repaired)
    {
        lock (_gate)
        {
            if (repaired is not null)
            {
                _repairedPages++;
                _repaired.Enqueue(repaired);
                if (_repaired.Count > MaxRepaired)
                    _repaired.Dequeue();
            }
            if (_last is not { } last || last.Damaged.All(d => d.Page != page))
                return;
            _last = last with
            {
                Damaged = [.. last.Damaged.Where(d => d.Page != page)],
                DamagedPages = last.DamagedPages - 1,
            };
        }
    }

    private bool Step(ScrubWalk walk, CancellationToken ct)
    {
        using var read = _beginRead("scrub");
        return walk.Step(read, ct);
    }
}
