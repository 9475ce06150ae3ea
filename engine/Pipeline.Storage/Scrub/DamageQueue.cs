using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <summary>
/// Pages that a read or a scrub has found damaged. Each is repaired from an equal store, one at a time; what fails is
/// tried again each minute. Thread-safe.
/// </summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A semaphore is never disposed: BannedSymbols.txt says why.")]
internal sealed class DamageQueue(StoreContext store, PageRepairer repairer, CancellationToken closing)
{
    private const int MaxPages = 1_000;
    private static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(1);
    private readonly Lock _gate = new();
    private readonly HashSet<long> _pages = [];
    private readonly SemaphoreSlim _one = new(1);
    private IPageSource? _source;

    /// <summary>Where pages are fetched from; null if there is no equal store.</summary>
    public IPageSource? Source
    {
        get => Volatile.Read(ref _source);
        set => Volatile.Write(ref _source, value);
    }

    /// <summary>Is told of each page that is damaged no more; the second value is null if nothing was written.</summary>
    public required Action<long, RepairedPage?> Settled { get; init; }

    /// <summary>Waits for the repair under way, which the closing has cancelled. None begins afterwards.</summary>
    public void Stop() => _one.Wait();

    /// <summary>Notes a damaged page. Does nothing without a source, or if too many are noted.</summary>
    public void Add(long page)
    {
        if (Source is null || closing.IsCancellationRequested)
            return;
        lock (_gate)
        {
            if (_pages.Count >= MaxPages || !_pages.Add(page))
                return;
        }
        _ = Task.Run(() => RunAsync(page), CancellationToken.None);
    }

    /// <summary>Repairs a page now, and tells what became of it; null without a source.</summary>
    public async Task<RepairOutcome?> TryAsync(long page, string? tree, CancellationToken ct)
    {
        if (Source is not { } source)
            return null;
        var outcome = await repairer.TryAsync(page, tree, source, ct).ConfigureAwait(false);
        if (outcome.IsSettled)
            Settled(page, outcome.Repaired);
        if (outcome.Repaired is { } repaired)
        {
            StorageLog.PageRepaired(store.Logger, store.Name, page, repaired.Source);
            StorageMetrics.Repaired(store.Name);
        }
        return outcome;
    }

    private async Task RunAsync(long page)
    {
        try
        {
            for (var isFirst = true; ; isFirst = false)
            {
                if (await TryNextAsync(page).ConfigureAwait(false) is not { IsSettled: false, Problem: { } problem })
                    return;
                if (isFirst)
                    StorageLog.PageNotRepaired(store.Logger, store.Name, page, problem);
                await Task.Delay(RetryAfter, store.Options.TimeProvider, closing).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or StorageException or InvalidOperationException)
        {
            // Closing, or as many readers as allowed are open: the next read or scrub notes the page again.
        }
        finally
        {
            lock (_gate)
                _pages.Remove(page);
        }
    }

    private async Task<RepairOutcome?> TryNextAsync(long page)
    {
        await _one.WaitAsync(closing).ConfigureAwait(false);
        try
        {
            return await TryAsync(page, null, closing).ConfigureAwait(false);
        }
        finally
        {
            _one.Release();
        }
    }
}
