using System.Text;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// Puts bytes into an array of exactly their length, as the client requires. The array is reused for the next bytes of
/// that length.
/// </summary>
/// <remarks>Reuse is safe because the client copies the array before its call returns. Not thread-safe.</remarks>
internal sealed class ExactBytes
{
    /// <summary>Longer arrays are not kept: all lengths together take 8 MiB at most.</summary>
    private const int MaxKept = 4096;

    private readonly byte[]?[] _arrays = new byte[]?[MaxKept + 1];

    /// <summary>The text as UTF-8; valid until the next call.</summary>
    internal byte[] Encode(string text)
    {
        var bytes = OfLength(Encoding.UTF8.GetByteCount(text));
        Encoding.UTF8.GetBytes(text, bytes);
        return bytes;
    }

    /// <summary>A copy of the bytes; valid until the next call.</summary>
    internal byte[] Copy(ReadOnlySpan<byte> source)
    {
        var bytes = OfLength(source.Length);
        source.CopyTo(bytes);
        return bytes;
    }

    private byte[] OfLength(int length) =>
        length > MaxKept
            ? GC.AllocateUninitializedArray<byte>(length)
            : _arrays[length] ??= GC.AllocateUninitializedArray<byte>(length);
}
