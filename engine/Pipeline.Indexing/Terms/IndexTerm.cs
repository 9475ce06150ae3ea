using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using System.Text.Unicode;

namespace Pipeline.Indexing;

/// <summary>The rules for terms, and the treatment of strings that are too long.</summary>
public static class IndexTerm
{
    /// <summary>
    /// The most bytes of a term. Of longer ones the beginning is kept, cut between two characters, and a hash of the
    /// whole follows.
    /// </summary>
    public const int MaxLength = 512;

    /// <summary>Bytes of the hash: 16 hexadecimal digits.</summary>
    private const int HashLength = 16;

    /// <summary>The term of a null. No UTF-8 begins with this byte.</summary>
    internal static ReadOnlySpan<byte> Null => [0xFF, 0];

    /// <summary>The term of each entry in which the field has a value.</summary>
    internal static ReadOnlySpan<byte> Exists => [0xFF, 1];

    /// <summary>Above all terms but the reserved ones.</summary>
    internal const byte Reserved = 0xFF;

    /// <summary>
    /// Converts a term to the form in the index. Valid UTF-8 of at most <see cref="MaxLength"/> bytes stays unchanged.
    /// Otherwise U+FFFD replaces invalid bytes, as everywhere in .NET, and a long term is cut.
    /// </summary>
    /// <param name="term">The term, of any length.</param>
    /// <param name="buffer">Room for a changed term, at least <see cref="MaxLength"/> bytes.</param>
    public static ReadOnlySpan<byte> Normalize(ReadOnlySpan<byte> term, Span<byte> buffer)
    {
        if (!Utf8.IsValid(term))
            term = Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(term));
        return term.Length <= MaxLength ? term : Cut(term, buffer);
    }

    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> term, Span<byte> buffer)
    {
        var length = MaxLength - HashLength;
        while ((term[length] & 0xC0) == 0x80)
            length--;
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(term, hash);
        term[..length].CopyTo(buffer);
        BinaryPrimitives.ReadUInt64BigEndian(hash).TryFormat(buffer[length..], out _, "x16", null);
        return buffer[..(length + HashLength)];
    }
}
