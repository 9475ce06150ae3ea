using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// Zstandard compression (RFC 8878) by the system's libzstd. Each thread has its own contexts, made at first use and
/// reused, so calls allocate nothing and never block. Thread-safe.
/// </summary>
/// <remarks>
/// Native code gets pointers into spans that are pinned for the call, with their true lengths; it writes no further.
/// Contexts keep parts of their last data until they are reused or their thread has ended; they are not wiped.
/// </remarks>
public static unsafe class Zstd
{
    /// <summary>Quick, with most of the gain.</summary>
    public const int DefaultLevel = 1;

    private const int MinLevel = -7;
    private const int MaxLevel = 19;

    [ThreadStatic]
    private static ThreadContexts? _own;

    private sealed class ThreadContexts
    {
        public ZstdHandle? Compressor { get; set; }

        public ZstdHandle? Decompressor { get; set; }

        public int Level { get; set; }

        /// <summary>The dictionary that the compressor refers to, kept alive by this.</summary>
        public ZstdDictionary? Dictionary { get; set; }
    }

    /// <summary>Whether the library can be used.</summary>
    public static bool IsAvailable => ZstdLibrary.Problem is null;

    /// <summary>Why it cannot, or null.</summary>
    public static string? Problem => ZstdLibrary.Problem;

    /// <summary>The library's version, such as 1.5.4.</summary>
    public static string Version => ZstdLibrary.VersionText;

    /// <summary>Returns the most bytes that compressing this many can produce.</summary>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    public static long MaxCompressedLength(long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        Demand("Compressing");
        return (long)ZstdLibrary.Bound((nuint)length);
    }

    /// <summary>Compresses; false if the result does not fit the destination, which may then hold anything.</summary>
    /// <param name="source">The data to compress.</param>
    /// <param name="destination">
    /// Where the result goes. Make it shorter than the source to accept only results that are worth it.
    /// </param>
    /// <param name="written">The result's length.</param>
    /// <param name="level">−7 (fastest) to 19 (smallest).</param>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    public static bool TryCompress(
        ReadOnlySpan<byte> source,
        Span<byte> destination,
        out int written,
        int level = DefaultLevel
    )
    {
        fixed (
            byte* from = source,
                to = destination
        )
        {
            var done = TryCompress(from, source.Length, to, destination.Length, level, null, out var length);
            written = (int)length;
            return done;
        }
    }

    /// <summary>
    /// Compresses with a dictionary; as <see cref="TryCompress(ReadOnlySpan{byte}, Span{byte}, out int, int)"/>.
    /// </summary>
    public static bool TryCompress(
        ReadOnlySpan<byte> source,
        Span<byte> destination,
        out int written,
        ZstdDictionary dictionary
    )
    {
        ArgumentNullException.ThrowIfNull(dictionary);
        fixed (
            byte* from = source,
                to = destination
        )
        {
            var done = TryCompress(
                from,
                source.Length,
                to,
                destination.Length,
                dictionary.Level,
                dictionary,
                out var length
            );
            written = (int)length;
            return done;
        }
    }

    /// <summary>
    /// Decompresses. False if the source is damaged or needs another dictionary, or if its content does not fit the
    /// destination, which may then hold anything. It does not detect all damage: stored data needs a separate checksum.
    /// </summary>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    public static bool TryDecompress(
        ReadOnlySpan<byte> source,
        Span<byte> destination,
        out int written,
        ZstdDictionary? dictionary = null
    )
    {
        fixed (
            byte* from = source,
                to = destination
        )
        {
            var done = TryDecompress(from, source.Length, to, destination.Length, dictionary, out var length);
            written = (int)length;
            return done;
        }
    }

    internal static bool TryCompress(
        byte* source,
        long length,
        byte* destination,
        long capacity,
        int level,
        ZstdDictionary? dictionary,
        out long written
    )
    {
        var own = _own ??= new ThreadContexts();
        var compressor = (own.Compressor ??= NewCompressor()).DangerousGetHandle(); // Alive: the thread's own holds it.
        level = Clamp(level);
        if (own.Level != level)
        {
            Check(ZstdLibrary.SetParameter(compressor, ZstdLibrary.CompressionLevel, level));
            own.Level = level;
        }
        if (own.Dictionary != dictionary)
        {
            Check(ZstdLibrary.UseDictionary(compressor, dictionary?.Compression.DangerousGetHandle() ?? 0));
            own.Dictionary = dictionary;
        }
        var result = ZstdLibrary.Compress(compressor, destination, (nuint)capacity, source, (nuint)length);
        written = 0;
        if (ZstdLibrary.IsError(result) != 0)
        {
            // Else the context takes no other level or dictionary: it still waits for room.
            Check(ZstdLibrary.Reset(compressor, ZstdLibrary.SessionOnly));
            if (ZstdLibrary.ErrorCode(result) == ZstdLibrary.DestinationTooSmall)
                return false;
            Check(result);
        }
        written = (long)result;
        return true;
    }

    internal static bool TryDecompress(
        byte* source,
        long length,
        byte* destination,
        long capacity,
        ZstdDictionary? dictionary,
        out long written
    )
    {
        var own = _own ??= new ThreadContexts();
        var decompressor = (own.Decompressor ??= NewDecompressor()).DangerousGetHandle();
        var result = ZstdLibrary.Decompress(
            decompressor,
            destination,
            (nuint)capacity,
            source,
            (nuint)length,
            dictionary?.Decompression.DangerousGetHandle() ?? 0
        );
        GC.KeepAlive(dictionary);
        var failed = ZstdLibrary.IsError(result) != 0;
        written = failed ? 0 : (long)result;
        return !failed;
    }

    /// <summary>Makes sure that the library can be used.</summary>
    /// <param name="subject">The data or operation that needs it, for the message.</param>
    /// <exception cref="CompressionUnavailableException">It cannot.</exception>
    public static void Demand(string subject)
    {
        if (ZstdLibrary.Problem is { } problem)
            throw new CompressionUnavailableException(subject, problem);
    }

    internal static int Clamp(int level) => Math.Clamp(level, MinLevel, MaxLevel);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ZstdHandle NewCompressor()
    {
        Demand("Compressing");
        var made = new ZstdHandle(ZstdLibrary.CreateCompressor(), ZstdHandleKind.Compressor);
        if (made.IsInvalid)
            throw new InsufficientMemoryException("libzstd has no memory for a compression context.");
        // Callers store the dictionary's number themselves. This saves four bytes a value.
        Check(ZstdLibrary.SetParameter(made.DangerousGetHandle(), ZstdLibrary.DictionaryIdFlag, 0));
        return made;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ZstdHandle NewDecompressor()
    {
        Demand("Decompressing");
        var made = new ZstdHandle(ZstdLibrary.CreateDecompressor(), ZstdHandleKind.Decompressor);
        return made.IsInvalid
            ? throw new InsufficientMemoryException("libzstd has no memory for a decompression context.")
            : made;
    }

    private static void Check(nuint result)
    {
        if (ZstdLibrary.IsError(result) != 0)
        {
            throw new InvalidOperationException(
                $"libzstd {Version} failed with error {ZstdLibrary.ErrorCode(result)}."
            );
        }
    }
}
