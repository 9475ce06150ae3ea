using System.Numerics;

namespace Pipeline.Storage;

/// <summary>
/// Counts file operations. Thread-safe; each record takes a lock that is rarely contended, and allocates nothing.
/// </summary>
internal sealed class IoRecorder(TimeProvider time, string store)
{
    private const int Ring = 256;
    private readonly Series[] _series = [.. Enum.GetValues<IoKind>().Select(static _ => new Series())];

    private sealed class Series
    {
        public readonly Lock Gate = new();
        public readonly long[] Durations = new long[48];
        public readonly long[] Sizes = new long[64];
        public readonly IoOperation[] Recent = new IoOperation[Ring];
        public long Count;
        public long Bytes;
        public long Ticks;
        public long Longest;
    }

    public long Start() => time.GetTimestamp();

    public void Done(IoKind kind, long bytes, long started) => Done(kind, bytes, time.GetElapsedTime(started));

    public void Done(IoKind kind, long bytes, TimeSpan duration)
    {
        var series = _series[(int)kind];
        lock (series.Gate)
        {
            series.Recent[series.Count++ % Ring] = new IoOperation(time.GetUtcNow(), bytes, duration);
            series.Bytes += bytes;
            series.Ticks += duration.Ticks;
            series.Longest = Math.Max(series.Longest, duration.Ticks);
            series.Durations[Bits(duration.Ticks / TimeSpan.TicksPerMicrosecond, series.Durations.Length)]++;
            series.Sizes[Bits(bytes, series.Sizes.Length)]++;
        }
        StorageMetrics.Io(store, kind, bytes, duration);
    }

    public IReadOnlyList<IoStatistics> Snapshot()
    {
        var all = new List<IoStatistics>();
        for (var kind = 0; kind < _series.Length; kind++)
        {
            var series = _series[kind];
            lock (series.Gate)
            {
                var kept = (int)Math.Min(series.Count, Ring);
                var recent = new List<IoOperation>(kept);
                for (var i = series.Count - kept; i < series.Count; i++)
                    recent.Add(series.Recent[i % Ring]);
                all.Add(
                    new IoStatistics(
                        (IoKind)kind,
                        series.Count,
                        series.Bytes,
                        TimeSpan.FromTicks(series.Ticks),
                        TimeSpan.FromTicks(series.Longest),
                        [.. Trim(series.Durations).Select(b => (TimeSpan.FromMicroseconds(1L << b.Bit), b.Count))],
                        [.. Trim(series.Sizes).Select(b => (1L << b.Bit, b.Count))],
                        recent
                    )
                );
            }
        }
        return all;
    }

    /// <summary>n where 2^(n-1) ≤ value &lt; 2^n.</summary>
    private static int Bits(long value, int most) =>
        Math.Min(most - 1, 64 - BitOperations.LeadingZeroCount((ulong)Math.Max(0, value)));

    private static IEnumerable<(int Bit, long Count)> Trim(long[] counts)
    {
        var first = Array.FindIndex(counts, c => c > 0);
        var last = Array.FindLastIndex(counts, c => c > 0);
        for (var i = first; i >= 0 && i <= last; i++)
            yield return (i, counts[i]);
    }
}
