using System.Buffers.Binary;

namespace Pipeline.Documents.Transfer;

/// <summary>The length that a gzip file ends with.</summary>
internal static class GzipTrailer
{
    /// <summary>
    /// The framework reads a truncated gzip file as a complete one; the length at its end shows the difference.
    /// </summary>
    /// <param name="compressed">The file.</param>
    /// <param name="decompressed">How many bytes it gave.</param>
    /// <exception cref="InvalidDataException">The file is truncated.</exception>
    public static void Check(FileStream compressed, long decompressed)
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
