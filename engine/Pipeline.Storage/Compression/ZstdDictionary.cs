using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// Bytes that small texts of one kind have in common, prepared for compressing with one level and for decompressing.
/// What was compressed with it is decompressed with one of the same bytes only, and does not say which that was.
/// Immutable and thread-safe; its memory goes when no reference to it is left.
/// </summary>
#pragma warning disable CA1001 // Threads' contexts refer to the handles: freed while one does, they would lead to memory of others. So the collector frees them.
public sealed unsafe class ZstdDictionary
#pragma warning restore CA1001
{
    /// <summary>The largest dictionary.</summary>
    public const int MaxBytes = 1 << 20;

    private readonly byte[] _bytes;
    private readonly ZstdHandle _compression;
    private readonly ZstdHandle _decompression;

    /// <summary>
    /// Prepares a dictionary: the result of <see cref="Train"/>, or any bytes likely to occur in the data.
    /// </summary>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    /// <exception cref="ArgumentException">The bytes are none, too many, or a damaged trained dictionary.</exception>
    public ZstdDictionary(ReadOnlySpan<byte> bytes, int level = Zstd.DefaultLevel)
    {
        Zstd.Demand("A dictionary");
        if (bytes.Length is 0 or > MaxBytes)
        {
            throw new ArgumentException(
                $"A dictionary has 1 to {MaxBytes:N0} bytes, not {bytes.Length:N0}.",
                nameof(bytes)
            );
        }

        _bytes = bytes.ToArray();
        Level = Zstd.Clamp(level);
        fixed (byte* start = _bytes)
        {
            // Both copy the bytes.
            _compression = new ZstdHandle(
                ZstdLibrary.CreateCompressionDictionary(start, (nuint)_bytes.Length, Level),
                ZstdHandleKind.CompressionDictionary
            );
            _decompression = new ZstdHandle(
                ZstdLibrary.CreateDecompressionDictionary(start, (nuint)_bytes.Length),
                ZstdHandleKind.DecompressionDictionary
            );
        }
        if (_compression.IsInvalid || _decompression.IsInvalid)
            throw new ArgumentException("The bytes are a damaged dictionary.", nameof(bytes));
    }

    /// <summary>Its bytes.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>The level that it compresses with.</summary>
    public int Level { get; }

    internal SafeHandle Compression => _compression;

    internal SafeHandle Decompression => _decompression;

    /// <summary>
    /// Finds what samples have in common; a hundred times the dictionary's size of them is best. Null where they are
    /// too few or have too little in common. The same samples give the same bytes with the same version of the library.
    /// </summary>
    /// <param name="samples">The samples, one behind the other.</param>
    /// <param name="lengths">The length of each.</param>
    /// <param name="maxBytes">The most bytes of the dictionary.</param>
    /// <exception cref="CompressionUnavailableException">The system has no libzstd.</exception>
    public static byte[]? Train(ReadOnlySpan<byte> samples, ReadOnlySpan<int> lengths, int maxBytes)
    {
        Zstd.Demand("Training a dictionary");
        ArgumentOutOfRangeException.ThrowIfLessThan(maxBytes, 256);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxBytes, MaxBytes);
        var sizes = new nuint[lengths.Length];
        var sum = 0L;
        for (var i = 0; i < lengths.Length; i++)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(lengths[i], nameof(lengths));
            sizes[i] = (nuint)lengths[i];
            sum += lengths[i];
        }
        if (sum != samples.Length)
        {
            throw new ArgumentException(
                $"The lengths add up to {sum:N0} bytes, the samples have {samples.Length:N0}.",
                nameof(lengths)
            );
        }

        var output = new byte[maxBytes];
        fixed (
            byte* to = output,
                from = samples
        )
        fixed (nuint* size = sizes)
        {
            var made = ZstdLibrary.Train(to, (nuint)output.Length, from, size, (uint)sizes.Length);
            return ZstdLibrary.TrainFailed(made) != 0 ? null : output[..(int)made];
        }
    }
}
