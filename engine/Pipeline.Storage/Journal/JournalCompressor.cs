using System.Diagnostics;
using System.Numerics;

namespace Pipeline.Storage;

/// <summary>
/// Compresses records of journal entries if that is enabled and pays off. Thread-safe: one thread may compress while
/// another records how long a write took.
/// </summary>
/// <remarks>
/// Measurement decides whether compression pays off. For entries of each power of two in size, the time per byte of
/// records, from preparation to sync, is averaged with and without compression. The faster way is used. The other is
/// tried now and then to see whether it is still slower.
/// </remarks>
internal sealed unsafe class JournalCompressor
{
    /// <summary>
    /// Records of fewer bytes are never compressed: an entry takes whole blocks, and its sync most of the time.
    /// </summary>
    public const int MinBytes = 16 << 10;

    private const int Level = -1;
    private const int SmallestLog2 = 14;
    private const int Sizes = 10;

    /// <summary>One entry in this many is written in the way that seems slower, to measure it.</summary>
    private const int TryWorseEvery = 64;

    /// <summary>The processor has other things to do, so it must be a gain worth naming.</summary>
    private const double LeastGain = 0.1;

    private readonly bool _always;
    private readonly Lock _gate = new();
    private readonly Costs[] _costs = new Costs[Sizes];
    private long _bytesBefore;
    private long _bytesAfter;

    private JournalCompressor(bool always) => _always = always;

    /// <summary>Seconds for a byte of records; 0 where not known.</summary>
    private struct Costs
    {
        public double Plain;
        public double Compressed;
        public int Entries;
    }

    /// <summary>Bytes of records that were compressed.</summary>
    public long BytesBefore => Volatile.Read(ref _bytesBefore);

    /// <summary>The results.</summary>
    public long BytesAfter => Volatile.Read(ref _bytesAfter);

    /// <summary>Null if nothing is compressed: by the option, or without libzstd, which is logged.</summary>
    public static JournalCompressor? Create(StorageOptions options, string store)
    {
        if (options.JournalCompression == JournalCompression.Off)
            return null;
        if (ProblemOf(options) is not { } problem)
            return new JournalCompressor(options.JournalCompression == JournalCompression.On);
        StorageLog.JournalNotCompressed(StorageLog.Of(options), store, problem);
        return null;
    }

    /// <summary>Why entries cannot be compressed though they should be, or null.</summary>
    public static string? ProblemOf(StorageOptions options) =>
        options.JournalCompression == JournalCompression.Off ? null
        : options.WithoutZstd ? "tests do without libzstd"
        : Zstd.Problem;

    /// <summary>Compresses records; false if it does not pay off, or if they shrink by less than an eighth.</summary>
    /// <param name="records">The records, at least <see cref="MinBytes"/>.</param>
    /// <param name="bytes">Their length.</param>
    /// <param name="output">Where the result goes: room for as many bytes.</param>
    /// <param name="length">Its length.</param>
    /// <param name="spent">The time spent; null if compression was not tried.</param>
    public bool TryCompress(byte* records, long bytes, byte* output, out long length, out TimeSpan? spent)
    {
        (length, spent) = (0, null);
        if (!_always && !IsWorthIt(bytes))
            return false;
        var started = Stopwatch.GetTimestamp();
        var shrunk = Zstd.TryCompress(records, bytes, output, bytes - (bytes / 8), Level, null, out length);
        spent = Stopwatch.GetElapsedTime(started);
        if (!shrunk)
            return false;
        Volatile.Write(ref _bytesBefore, _bytesBefore + bytes);
        Volatile.Write(ref _bytesAfter, _bytesAfter + length);
        return true;
    }

    /// <summary>Notes how long the write and sync of an entry took.</summary>
    /// <param name="bytes">Bytes of its records, before compression.</param>
    /// <param name="spent">What was spent on compressing them; null where that was not tried.</param>
    /// <param name="written">The time of write and sync.</param>
    public void Written(long bytes, TimeSpan? spent, TimeSpan written)
    {
        if (_always || bytes < MinBytes)
            return;
        var cost = (written + (spent ?? TimeSpan.Zero)).TotalSeconds / bytes;
        lock (_gate)
        {
            ref var costs = ref _costs[SizeOf(bytes)];
            Average(ref spent is null ? ref costs.Plain : ref costs.Compressed, cost);
        }
    }

    private bool IsWorthIt(long bytes)
    {
        lock (_gate)
        {
            ref var costs = ref _costs[SizeOf(bytes)];
            var worse = ++costs.Entries % TryWorseEvery == 0;
            if (costs.Plain == 0 || costs.Compressed == 0)
                return costs.Plain != 0 || costs.Entries % 2 == 0;
            return costs.Compressed < costs.Plain * (1 - LeastGain) != worse;
        }
    }

    private static int SizeOf(long bytes) => Math.Min(BitOperations.Log2((ulong)bytes) - SmallestLog2, Sizes - 1);

    private static void Average(ref double average, double value) =>
        // A single stall is not representative.
        average = average == 0 ? value : average + ((Math.Min(value, 4 * average) - average) / 16);
}
