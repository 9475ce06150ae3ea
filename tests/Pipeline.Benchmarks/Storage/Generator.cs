using System.Buffers.Text;
using System.Text;

namespace Pipeline.Benchmarks.Storage;

/// <summary>Makes the keys and values of the storage workloads; every engine's harness makes the same ones.</summary>
public static class Generator
{
    private static readonly byte[][] Words = """
        amber anchor apple autumn basket beacon bottle branch bridge candle canyon castle cedar circle cloud copper
        coral cotton crystal dragon eagle ember falcon feather forest garden glacier granite harbor hazel hollow island
        ivory jasmine jungle kettle ladder lantern lemon marble meadow mirror mountain needle ocean orchard paper pepper
        pillow planet prairie quartz ribbon river saddle shadow silver summer thunder timber valley velvet willow winter
        """.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Select(Encoding.ASCII.GetBytes).ToArray();

    public static ulong Mix(ulong z)
    {
        z += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }

    /// <summary>Writes the 16 hexadecimal digits of a key.</summary>
    public static void Key(ulong number, Span<byte> key)
    {
        for (var i = 15; i >= 0; i--)
        {
            key[i] = "0123456789abcdef"u8[(int)(number & 15)];
            number >>= 4;
        }
    }

    /// <summary>Writes value <paramref name="i"/>, up to 600 bytes; returns its length.</summary>
    public static int Value(ulong i, Span<byte> to)
    {
        var random = new Xorshift(Mix(i ^ 0x5DEECE66D));
        var first = Word(ref random);
        var second = Word(ref random);
        var age = 18 + random.Next() % 80;
        var balance = random.Next() % 1_000_000;
        var cents = random.Next() % 100;
        var active = random.Next() >> 63 != 0;
        var at = 0;
        Append(to, ref at, "{\"Id\":"u8);
        Append(to, ref at, i);
        Append(to, ref at, ",\"Name\":\""u8);
        Append(to, ref at, first);
        to[at++] = (byte)' ';
        Append(to, ref at, second);
        Append(to, ref at, "\",\"Email\":\""u8);
        Append(to, ref at, first);
        to[at++] = (byte)'.';
        Append(to, ref at, second);
        Append(to, ref at, "@example.com\",\"Age\":"u8);
        Append(to, ref at, age);
        Append(to, ref at, ",\"Balance\":"u8);
        Append(to, ref at, balance);
        to[at++] = (byte)'.';
        to[at++] = (byte)('0' + cents / 10);
        to[at++] = (byte)('0' + cents % 10);
        Append(to, ref at, active ? ",\"Active\":true"u8 : ",\"Active\":false"u8);
        Append(to, ref at, ",\"Tags\":["u8);
        for (var n = 0; n < 3; n++)
        {
            Append(to, ref at, n == 0 ? "\""u8 : ",\""u8);
            Append(to, ref at, Word(ref random));
            to[at++] = (byte)'"';
        }

        Append(to, ref at, "],\"Note\":\""u8);
        for (var n = 0; n < 20; n++)
        {
            if (n > 0)
                to[at++] = (byte)' ';
            Append(to, ref at, Word(ref random));
        }

        Append(to, ref at, "\"}"u8);
        return at;
    }

    /// <summary>What a reader must do with each value, so that no engine skips it.</summary>
    public static ulong Touch(ulong accumulator, ReadOnlySpan<byte> value) =>
        accumulator * 31 + (ulong)value.Length + value[value.Length / 2];

    /// <summary>Compares the generator with the figures that all harnesses share.</summary>
    public static void Check()
    {
        var hash = 0xcbf29ce484222325;
        var buffer = new byte[600];
        for (ulong i = 0; i < 1000; i++)
        {
            foreach (var b in buffer.AsSpan(0, Value(i, buffer)))
                hash = (hash ^ b) * 0x100000001b3;
        }

        if (
            hash != 0x7c5c9ae0ed2cd16a
            || Mix(0) != 0xe220a8397b1dcdaf
            || new Xorshift(42).Next() != 6255019084209693600
        )
        {
            throw new BenchmarkException("the generator does not make the values it must");
        }
    }

    private static byte[] Word(ref Xorshift random) => Words[(int)(random.Next() >> 58)];

    private static void Append(Span<byte> to, ref int at, ReadOnlySpan<byte> text)
    {
        text.CopyTo(to.Slice(at));
        at += text.Length;
    }

    private static void Append(Span<byte> to, ref int at, ulong number)
    {
        Utf8Formatter.TryFormat(number, to.Slice(at), out var written);
        at += written;
    }
}
