using System.Buffers.Binary;

namespace Pipeline.Documents.Transfer;

/// <summary>The compression of a file, found from its first and last bytes.</summary>
internal static class CompressedFile
{
    /// <summary>The bytes to look at.</summary>
    public const int MagicBytes = 4;

    /// <summary>Whether a file that begins like this is compressed with gzip.</summary>
    public static bool IsGzip(ReadOnlySpan<byte> start) => start is [0x1F, 0x8B, ..];

    /// <summary>Whether a file that begins like this is compressed with Zstandard.</summary>
    public static bool IsZstandard(ReadOnlySpan<byte> start) => start is [0x28, 0xB5, 0x2F, 0xFD, ..];

    /// <summary>
    /// The framework reads a truncated gzip file as a complete one; the length at its end shows the difference.
    /// </summary>
    /// <param name="compressed">The file.</param>
    /// <param name="decompressed">How many bytes it gave.</param>
    /// <exception cref="InvalidDataException">The file is truncated.</exception>
    public static void CheckGzipLength(FileStream compressed, long decompressed)
    {
        Span<byte> trailer = stackalloc byte[4];
        var read = RandomAccess.Read(compressed.SafeFileHandle, trailer, Math.Max(0, compressed.Length - 4));
        if (read == 4 && BinaryPrimitives.ReadUInt32LittleEndian(trailer) == (uint)decompressed)
            return;
        throw new InvalidDataException(
            "it is cut short (or is several gzip files in one, which cannot be told from that: decompress it first)"
        );
    }
}
