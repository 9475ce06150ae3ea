using System.Numerics;
using Xunit;

namespace Pipeline.Indexing.Tests.Numbers;

public sealed class NumericKeyTests
{
    private static readonly long[] Longs =
    [
        long.MinValue,
        long.MinValue + 1,
        -(1L << 62) - 1,
        -(1L << 53) - 1,
        -(1L << 53),
        -2,
        -1,
        0,
        1,
        2,
        (1L << 53) - 1,
        1L << 53,
        (1L << 53) + 1,
        (1L << 53) + 2,
        (1L << 62) + 511,
        (1L << 62) + 512,
        long.MaxValue - 1023,
        long.MaxValue - 1,
        long.MaxValue,
    ];

    private static readonly double[] Doubles =
    [
        double.NegativeInfinity,
        double.MinValue,
        -9223372036854775808.0,
        -1.5,
        -1,
        -double.Epsilon,
        0,
        double.Epsilon,
        0.5,
        1,
        1.5,
        9007199254740992.0,
        9007199254740994.0,
        9223372036854775808.0,
        9223372036854774784.0,
        double.MaxValue,
        double.PositiveInfinity,
    ];

    [Fact]
    public void Longs_and_doubles_compare_as_exact_numbers()
    {
        foreach (var left in All())
        {
            foreach (var right in All())
                Assert.Equal(Math.Sign(Compare(left.Exact, right.Exact)), Math.Sign(left.Key.CompareTo(right.Key)));
        }
    }

    [Fact]
    public void Random_neighbours_compare_as_exact_numbers()
    {
        var random = new Random(5);
        for (var i = 0; i < 100_000; i++)
        {
            var value = random.NextInt64(long.MinValue, long.MaxValue - 2000) >> random.Next(64);
            var other = value + random.Next(2000);
            Assert.Equal(
                Math.Sign(value.CompareTo(other)),
                Math.Sign(NumericKey.From(value).CompareTo(NumericKey.From(other)))
            );
            var d = (double)other;
            Assert.True(NumericKey.TryFrom(d, out var key));
            Assert.Equal(
                Math.Sign(new BigInteger(value).CompareTo(new BigInteger(d))),
                Math.Sign(NumericKey.From(value).CompareTo(key))
            );
        }
    }

    [Fact]
    public void Stored_bytes_sort_as_the_keys()
    {
        var keys = All().Select(n => n.Key).Distinct().Order().ToList();
        var bytes = keys.Select(k =>
            {
                var b = new byte[NumericKey.Size];
                k.Write(b);
                Assert.Equal(k, NumericKey.Read(b));
                return b;
            })
            .ToList();
        for (var i = 1; i < bytes.Count; i++)
            Assert.True(bytes[i - 1].AsSpan().SequenceCompareTo(bytes[i]) < 0);
    }

    [Fact]
    public void Minus_zero_is_zero_and_NaN_has_no_key()
    {
        Assert.True(NumericKey.TryFrom(-0.0, out var minus));
        Assert.Equal(NumericKey.From(0), minus);
        Assert.False(NumericKey.TryFrom(double.NaN, out _));
        Assert.True(NumericKey.Min <= minus && NumericKey.Max > minus);
    }

    private static IEnumerable<(object Exact, NumericKey Key)> All()
    {
        foreach (var l in Longs)
            yield return (l, NumericKey.From(l));
        foreach (var d in Doubles)
        {
            Assert.True(NumericKey.TryFrom(d, out var key));
            Assert.Equal(d, key.ToDouble());
            yield return (d, key);
        }
    }

    /// <summary>
    /// By whole numbers of any size; doubles are scaled so that none of these loses its fraction but the smallest.
    /// </summary>
    private static int Compare(object left, object right)
    {
        if (left is double l && right is double r)
            return l.CompareTo(r);
        if (left is double d)
            return -Compare(right, d);
        var whole = new BigInteger((long)left);
        if (right is long other)
            return whole.CompareTo(other);
        var number = (double)right;
        if (double.IsInfinity(number))
            return number > 0 ? -1 : 1;
        var floor = new BigInteger(Math.Floor(number));
        var order = whole.CompareTo(floor);
        return order != 0 ? order
            : number > Math.Floor(number) ? -1
            : 0;
    }
}
