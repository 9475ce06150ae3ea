using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Io;

public sealed class Crc32CTests
{
    [Fact]
    public void The_check_value_of_the_catalogue_is_met() =>
        Assert.Equal(0xE3069283u, Crc32C.Compute(0, Encoding.ASCII.GetBytes("123456789")));

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(8159)]
    [InlineData(8160)]
    [InlineData(8192)]
    [InlineData(40000)]
    public void Lanes_give_what_a_table_gives(int length)
    {
        var bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        Assert.Equal(ByTable(bytes), Crc32C.Compute(0, bytes));
        Assert.Equal(
            ByTable(bytes),
            Crc32C.Compute(Crc32C.Compute(0, bytes.AsSpan(0, length / 3)), bytes.AsSpan(length / 3))
        );
    }

    private static uint ByTable(byte[] bytes)
    {
        var crc = uint.MaxValue;
        foreach (var b in bytes)
        {
            crc ^= b;
            for (var i = 0; i < 8; i++)
                crc = (crc >> 1) ^ ((crc & 1) == 0 ? 0 : 0x82F63B78);
        }
        return ~crc;
    }

    [Fact]
    public void The_processors_multiplication_gives_what_plain_steps_give()
    {
        var random = new Random(1);
        for (var i = 0; i < 1_000; i++)
        {
            var (first, second) = ((uint)random.NextInt64(1L << 32), (uint)random.NextInt64(1L << 32));
            Assert.Equal(Crc32C.MultiplyPlainly(first, second), Crc32C.Multiply(first, second));
        }
        Assert.Equal(0x5555_5555_5555_5555UL, Crc32C.MultiplyPlainly(uint.MaxValue, uint.MaxValue));
    }
}
