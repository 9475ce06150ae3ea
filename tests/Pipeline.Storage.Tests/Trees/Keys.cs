using System.Buffers.Binary;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>Shapes of keys; each strains another part of a page.</summary>
public enum KeyShape
{
    /// <summary>Random bytes, 0 to 1,024 of them.</summary>
    Scattered,

    /// <summary>Up to five bytes of three values, zero among them: equal heads and keys that begin others.</summary>
    Tiny,

    /// <summary>A few long stems with short endings: long prefixes, and keys that break them.</summary>
    Stems,

    /// <summary>Big-endian numbers in three ranges.</summary>
    Numbers,

    /// <summary>Keys of the greatest lengths.</summary>
    Huge,
}

internal static class Keys
{
    public static byte[] Next(Random random, KeyShape shape)
    {
        switch (shape)
        {
            case KeyShape.Scattered:
                var key = new byte[random.Next(4) == 0 ? random.Next(1025) : random.Next(24)];
                random.NextBytes(key);
                return key;
            case KeyShape.Tiny:
                return Enumerable.Range(0, random.Next(8)).Select(_ => (byte)(random.Next(3) * 127)).ToArray();
            case KeyShape.Stems:
                var stem = new byte[new[] { 3, 40, 300, 1000 }[random.Next(4)]];
                stem.AsSpan().Fill((byte)random.Next(3));
                return [.. stem, .. Enumerable.Range(0, random.Next(6)).Select(_ => (byte)random.Next(4))];
            case KeyShape.Numbers:
                var number = new byte[8];
                BinaryPrimitives.WriteInt64BigEndian(number, random.Next(3) * 1_000_000 + random.Next(5000));
                return number;
            case KeyShape.Huge:
                key = new byte[1024 - random.Next(3)];
                key.AsSpan(random.Next(2) * 900).Fill((byte)random.Next(2));
                BinaryPrimitives.WriteInt32BigEndian(key.AsSpan(random.Next(3) * 500), random.Next(500));
                return key;
            default:
                throw new ArgumentOutOfRangeException(nameof(shape));
        }
    }

    public static int ValueLength(Random random) =>
        random.Next(400) switch
        {
            0 => random.Next(3 << 20),
            < 6 => random.Next(20_000),
            < 12 => random.Next(2020, 2050),
            < 100 => random.Next(2033),
            < 250 => 8,
            < 280 => 0,
            _ => random.Next(300),
        };
}

internal sealed class ByteOrder : IComparer<byte[]>
{
    public static readonly ByteOrder Instance = new();

    public static readonly IComparer<KeyValuePair<byte[], byte[]>> OfPairs = Comparer<
        KeyValuePair<byte[], byte[]>
    >.Create((a, b) => Instance.Compare(a.Key, b.Key));

    public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
}
