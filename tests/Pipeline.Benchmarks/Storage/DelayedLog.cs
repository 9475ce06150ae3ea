using System.Collections.Concurrent;
using System.Diagnostics;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>A log in memory that accepts each entry after a delay, on a separate thread.</summary>
internal sealed class DelayedLog : ICommitLog, IDisposable
{
    private readonly BlockingCollection<(long Transaction, long Due)> _sent = [];
    private readonly StorageEnvironment _leader;
    private readonly List<byte[]>? _entries;
    private readonly Thread _thread;
    private readonly long _delay;

    /// <summary>Makes a store lead through this log.</summary>
    public DelayedLog(StorageEnvironment leader, TimeSpan delay, List<byte[]>? entries = null)
    {
        (_leader, _entries, _delay) = (leader, entries, (long)(delay.TotalSeconds * Stopwatch.Frequency));
        _thread = new Thread(Run) { IsBackground = true };
        _thread.Start();
        leader.Lead(this);
    }

    public int MaxEntryBytes => 64 << 20;

    public bool Leads => true;

    /// <summary>Bytes of all entries.</summary>
    public long Bytes { get; private set; }

    public void Send(long transaction, ReadOnlySpan<byte> entry)
    {
        Bytes += entry.Length;
        _entries?.Add(entry.ToArray());
        _sent.Add((transaction, Stopwatch.GetTimestamp() + _delay));
    }

    public void Dispose()
    {
        _sent.CompleteAdding();
        _thread.Join();
        _leader.Follow();
        _sent.Dispose();
    }

    private void Run()
    {
        foreach (var (transaction, due) in _sent.GetConsumingEnumerable())
        {
            for (var left = due - Stopwatch.GetTimestamp(); left > 0; left = due - Stopwatch.GetTimestamp())
            {
                if (left > Stopwatch.Frequency / 800)
                    Thread.Sleep(1);
                else
                    Thread.Yield();
            }
            _leader.Land(transaction, CommitOutcome.Accepted);
        }
    }
}
