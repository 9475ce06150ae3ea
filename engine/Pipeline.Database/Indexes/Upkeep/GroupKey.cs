using System.Security.Cryptography;

namespace Pipeline.Database.Indexes;

/// <summary>
/// How groups and documents are named in the trees of a map-reduce index: by the first 16 bytes of SHA-256.
/// </summary>
internal static class GroupKey
{
    public const int Bytes = 16;

    /// <summary>Half bytes of a document's name, by which a large group is cut into parts.</summary>
    public const int MaxDepth = Bytes * 2;

    public static byte[] Of(ReadOnlySpan<byte> text) => SHA256.HashData(text)[..Bytes];

    public static int Nibble(byte[] hash, int depth) => (depth & 1) == 0 ? hash[depth / 2] >> 4 : hash[depth / 2] & 15;

    /// <summary>
    /// The part of a group whose documents' names begin with the first <paramref name="depth"/> half bytes of a name.
    /// </summary>
    public static byte[] Part(byte[] group, byte[] hash, int depth)
    {
        var key = new byte[Bytes + 1 + (depth + 1) / 2];
        group.CopyTo(key, 0);
        key[Bytes] = (byte)depth;
        hash.AsSpan(0, (depth + 1) / 2).CopyTo(key.AsSpan(Bytes + 1));
        if ((depth & 1) == 1)
            key[^1] &= 0xF0;
        return key;
    }
}
