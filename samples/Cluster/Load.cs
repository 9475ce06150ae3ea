using System.Collections.Concurrent;
using System.Diagnostics;

namespace ClusterSample;

/// <summary>Clients that write all the time, and remember the acknowledged writes.</summary>
public sealed class Load : IAsyncDisposable
{
    private const int Writers = 4;
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(60);
    private readonly ConcurrentDictionary<int, long> _acknowledged = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _writers;
    private int _next;

    /// <summary>Begins to write.</summary>
    public Load(Client client) =>
        _writers = [.. Enumerable.Range(0, Writers).Select(_ => Task.Run(() => WriteAsync(client)))];

    /// <summary>How many writes were acknowledged.</summary>
    public int Count => _acknowledged.Count;

    /// <summary>The numbers of acknowledged writes.</summary>
    public ICollection<int> Acknowledged => _acknowledged.Keys;

    /// <summary>Some of the writes that were acknowledged last.</summary>
    public IReadOnlyList<int> Last(int count) =>
        // ToArray is the dictionary's own and takes a snapshot; sorting it directly copies it while writers add to it.
        [.. _acknowledged.ToArray().OrderByDescending(a => a.Value).Take(count).Select(a => a.Key)];

    /// <summary>Waits for a write that begins from now on and is acknowledged.</summary>
    /// <returns>How long that took.</returns>
    public async Task<TimeSpan> NextAsync()
    {
        var (began, before) = (Stopwatch.GetTimestamp(), Volatile.Read(ref _next));
        while (true)
        {
            if (_writers.Find(w => w.IsFaulted) is { } failed)
                await failed;
            if (Stopwatch.GetElapsedTime(began) > MaxWait)
                throw new TimeoutException("no node acknowledges a write");
            var found = _acknowledged.Where(a => a.Key > before).Select(a => a.Value).DefaultIfEmpty().Min();
            if (found > 0)
                return Stopwatch.GetElapsedTime(began, found);
            await Task.Delay(1);
        }
    }

    /// <summary>The longest time between two acknowledged writes from a moment on.</summary>
    public TimeSpan LongestPauseSince(long began)
    {
        var (longest, last) = (TimeSpan.Zero, began);
        foreach (var at in _acknowledged.Values.Where(at => at > began).Order())
        {
            var pause = Stopwatch.GetElapsedTime(last, at);
            (longest, last) = (pause > longest ? pause : longest, at);
        }
        return longest;
    }

    /// <summary>Stops writing, and waits for the last answers.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_writers);
    }

    private async Task WriteAsync(Client client)
    {
        while (!_stop.IsCancellationRequested)
        {
            var number = Interlocked.Increment(ref _next);
            await client.WriteAsync(number, CancellationToken.None);
            _acknowledged[number] = Stopwatch.GetTimestamp();
        }
    }
}
