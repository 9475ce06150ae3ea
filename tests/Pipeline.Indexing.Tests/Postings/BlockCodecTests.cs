using Xunit;

namespace Pipeline.Indexing.Tests.Postings;

public sealed class BlockCodecTests
{
    public static TheoryData<int> Widths => [.. Enumerable.Range(0, 33)];

    [Theory]
    [MemberData(nameof(Widths))]
    public unsafe void A_block_comes_back_at_every_width(int width)
    {
        var random = new Random(width);
        var values = Values(random, BlockCodec.Length, width);
        var bytes = new byte[BlockCodec.Size(width)];
        Assert.Equal(bytes.Length, BlockCodec.Pack(values, width, bytes));
        var read = new uint[BlockCodec.Length];
        fixed (byte* source = bytes)
        fixed (uint* target = read)
        {
            BlockCodec.UnpackPlusOne(source, width, target);
        }

        Assert.Equal(values, read.Select(v => unchecked(v - 1)));
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public unsafe void Gaps_add_up_to_the_entries(int width)
    {
        var gaps = Values(new Random(7 + width), BlockCodec.Length, width);
        var expected = new int[BlockCodec.Length];
        var last = 41;
        for (var i = 0; i < gaps.Length; i++)
            expected[i] = last = unchecked(last + (int)gaps[i] + 1);
        var bytes = new byte[BlockCodec.Size(width)];
        BlockCodec.Pack(gaps, width, bytes);
        var read = new int[BlockCodec.Length];
        fixed (byte* source = bytes)
        fixed (int* target = read)
        {
            BlockCodec.UnpackGaps(source, width, 41, target);
        }

        Assert.Equal(expected, read);
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public unsafe void Any_number_is_read_without_the_others_and_without_the_bytes_behind(int width)
    {
        var random = new Random(100 + width);
        foreach (var count in new[] { 1, 2, 3, 31, 77, 127 })
        {
            var values = Values(random, count, width);
            var bytes = new byte[BitPacking.Size(count, width) + 8];
            bytes.AsSpan().Fill(0xEE);
            var length = BitPacking.Write(values, width, bytes);
            Assert.All(bytes[length..], b => Assert.Equal(0xEE, b));
            fixed (byte* source = bytes)
            {
                for (var i = 0; i < count; i++)
                    Assert.Equal(values[i], BitPacking.Read(source, length, i, width));
            }
        }
    }

    private static uint[] Values(Random random, int count, int width)
    {
        var values = new uint[count];
        for (var i = 0; i < count; i++)
            values[i] = (uint)(random.NextInt64(1L << 32) & ((1L << width) - 1));
        if (width > 0)
            values[count / 2] = (uint)((1L << width) - 1);
        return values;
    }
}
