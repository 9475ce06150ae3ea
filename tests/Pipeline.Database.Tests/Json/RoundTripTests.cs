using System.Globalization;
using System.Text;
using System.Text.Json;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests.Json;

/// <summary>
/// Made values of all sorts come back the same and are found where another parser finds them. The seed is in the test's
/// name.
/// </summary>
public sealed class RoundTripTests
{
    private static readonly string[] s_odd =
    [
        "0",
        "-0",
        "-0.0",
        "0.00",
        "1e400",
        "-1E-400",
        "1.0e+5",
        "14.0",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "123456789012345678901234567890",
        "0.1",
        "123456789.123456789",
        "1234567890.1234567890123",
        "-99999999999999999.9",
        "0.000000000000000001",
    ];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Made_values_come_back_the_same(int seed)
    {
        var random = new Random(seed);
        for (var i = 0; i < 300; i++)
        {
            var text = new StringBuilder();
            Make(random, text, 0, i % 50 == 0 ? 400 : 8);
            var json = text.ToString();
            var binary = BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(json));
            Assert.True(json == binary.ToString(), $"seed {seed}, value {i}: {json}");
            using var other = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = 200 });
            Compare(other.RootElement, binary.Root);
        }
    }

    [Theory]
    [InlineData(200)]
    [InlineData(300)]
    [InlineData(70_000)]
    public void Objects_of_many_properties_keep_each(int count)
    {
        var json =
            "{" + string.Join(",", Enumerable.Range(0, count).Select(i => $"\"name{i * 7919 % count}\":{i}")) + "}";
        var root = BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(json)).Root;
        Assert.Equal(count, root.Count);
        for (var i = 0; i < count; i += Math.Max(1, count / 300))
            Assert.Equal(i, root[$"name{i * 7919 % count}"].GetInt64());
        Assert.False(root.TryGetProperty("name", out _));
        Assert.Equal(json, root.ToString());
    }

    [Theory]
    [InlineData("5", true, 5)]
    [InlineData("14.0", true, 14)]
    [InlineData("-14.000", true, -14)]
    [InlineData("14.5", false, 0)]
    [InlineData("1e3", true, 1000)]
    [InlineData("12.5e1", true, 125)]
    [InlineData("1e-30", false, 0)]
    [InlineData("0e5", true, 0)]
    [InlineData("9223372036854775807", true, long.MaxValue)]
    [InlineData("9223372036854775808", false, 0)]
    [InlineData("1e400", false, 0)]
    [InlineData("\"5\"", false, 0)]
    [InlineData("null", false, 0)]
    public void Integers_are_those_without_a_fraction(string json, bool expected, long value)
    {
        Assert.Equal(expected, Root(json).TryGetInt64(out var got));
        Assert.Equal(value, got);
    }

    [Theory]
    [InlineData("0.1")]
    [InlineData("2.675")]
    [InlineData("9007199254740993.5")]
    [InlineData("123456789012345678")]
    [InlineData("0.000000000000000001")]
    [InlineData("1.7976931348623157e308")]
    [InlineData("4.9e-324")]
    [InlineData("1e400")]
    [InlineData("-123456.789")]
    public void Doubles_are_the_nearest(string json) =>
        Assert.Equal(double.Parse(json, CultureInfo.InvariantCulture), Root(json).GetDouble());

    [Fact]
    public void Decimals_keep_their_digits()
    {
        Assert.Equal("14.00", Root("14.00").GetDecimal().ToString(CultureInfo.InvariantCulture));
        Assert.Equal(-9223372036854775808m, Root("-9223372036854775808").GetDecimal());
        Assert.Equal(1234567890123456789.012345m, Root("1234567890123456789.012345").GetDecimal());
        var e = Assert.Throws<OverflowException>(() => Root("1e400").GetDecimal());
        Assert.Contains("1e400 is not a decimal", e.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => Root("true").GetDecimal());
    }

    [Fact]
    public void What_is_not_there_is_no_value_and_no_error()
    {
        var missing = Root("{\"a\":[1]}")["b"]["c"][3];
        Assert.Equal(
            (JsonKind.None, false, true, 0),
            (missing.Kind, missing.Exists, missing.IsNullOrMissing, missing.Count)
        );
        Assert.Null(missing.GetString());
        Assert.False(Root("[1,2]")[2].Exists);
        Assert.False(Root("[1,2]")[-1].Exists);
        Assert.False(Root("{\"a\":1}")[0].Exists);
        Assert.Equal("", missing.ToString());
        Assert.True(default(BinaryJson).IsEmpty);
        Assert.False(default(BinaryJson).Root.Exists);
    }

    [Fact]
    public void Finding_allocates_nothing()
    {
        var document = BinaryJsonParser.Parse(
            """{"Name":"x","Lines":[{"Price":14.0,"Quantity":3},{"Price":2.5,"Quantity":1}]}"""u8
        );
        Sum(document);
        var before = GC.GetAllocatedBytesForCurrentThread();
        decimal sum = 0;
        for (var i = 0; i < 100; i++)
            sum += Sum(document);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(4450m, sum);
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public void Damaged_bytes_give_a_typed_error_or_some_value_and_nothing_else(int seed)
    {
        var random = new Random(seed);
        for (var i = 0; i < 3000; i++)
        {
            var text = new StringBuilder();
            Make(random, text, 0, 6);
            var bytes = BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(text.ToString())).Data.ToArray();
            if (i % 4 == 0)
                bytes = bytes[..random.Next(bytes.Length)];
            for (var n = random.Next(1, 4); n > 0 && bytes.Length > 0; n--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            try
            {
                var damaged = new BinaryJson(bytes);
                _ = damaged.ToString();
                Walk(damaged.Root, 0);
            }
            catch (BinaryJsonCorruptException e)
            {
                Assert.StartsWith("Corrupt binary JSON at byte ", e.Message, StringComparison.Ordinal);
            }
        }
    }

    private static void Walk(BinaryValue value, int depth)
    {
        if (depth > 12)
            return;
        value.TryGetDecimal(out _);
        value.TryGetDouble(out _);
        value.TryGetInt64(out _);
        value.TryGetString(out _);
        _ = value["a"];
        _ = value[0];
        var most = 20;
        foreach (var element in value.EnumerateArray())
        {
            if (most-- == 0)
                break;
            Walk(element, depth + 1);
        }

        foreach (var property in value.EnumerateObject())
        {
            if (most-- <= 0)
                break;
            _ = property.Name;
            Walk(property.Value, depth + 1);
        }
    }

    private static decimal Sum(BinaryJson document)
    {
        decimal sum = 0;
        foreach (var line in document.Root["Lines"].EnumerateArray())
        {
            line.TryGetProperty("Price"u8, out var price);
            sum += price.GetDecimal() * line["Quantity"].GetInt64();
        }

        return sum;
    }

    private static BinaryValue Root(string json) => BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(json)).Root;

    private static void Make(Random random, StringBuilder text, int depth, int most)
    {
        switch (random.Next(depth > 5 ? 5 : 8))
        {
            case 0:
                text.Append(
                    random.Next(3) switch
                    {
                        0 => "null",
                        1 => "true",
                        _ => "false",
                    }
                );
                break;
            case 1:
                text.Append(s_odd[random.Next(s_odd.Length)]);
                break;
            case 2:
                text.Append((random.NextInt64() >> random.Next(64)) * (random.Next(2) * 2 - 1));
                break;
            case 3:
                text.Append(random.Next(-1000, 1000)).Append('.').Append(random.Next(100));
                if (text.ToString().EndsWith("-0.0", StringComparison.Ordinal))
                    text.Append('1');
                break;
            case 4:
                MakeString(random, text, random.Next(20) == 0 ? 300 : 12);
                break;
            case 5:
            case 6:
                text.Append('{');
                var names = new HashSet<string>();
                for (var n = random.Next(most); n > 0; n--)
                {
                    var name = new StringBuilder();
                    MakeString(random, name, 4);
                    if (!names.Add(name.ToString()))
                        continue;
                    if (names.Count > 1)
                        text.Append(',');
                    text.Append(name).Append(':');
                    Make(random, text, depth + 1, Math.Min(most, 6));
                }

                text.Append('}');
                break;
            default:
                text.Append('[');
                for (var n = random.Next(most); n > 0; n--)
                {
                    Make(random, text, depth + 1, Math.Min(most, 6));
                    if (n > 1)
                        text.Append(',');
                }

                text.Append(']');
                break;
        }
    }

    private static void MakeString(Random random, StringBuilder text, int most)
    {
        text.Append('"');
        for (var n = random.Next(most); n > 0; n--)
        {
            text.Append(
                random.Next(9) switch
                {
                    0 => "\\n",
                    1 => "\\\"",
                    2 => "\\\\",
                    3 => "\\u0001",
                    4 => "ä",
                    5 => "€",
                    6 => "𝄞",
                    _ => ((char)random.Next('a', 'e')).ToString(),
                }
            );
        }

        text.Append('"');
    }

    private static void Compare(JsonElement expected, BinaryValue actual)
    {
        switch (expected.ValueKind)
        {
            case JsonValueKind.Object:
                Assert.Equal(JsonKind.Object, actual.Kind);
                var properties = 0;
                foreach (var property in expected.EnumerateObject())
                {
                    Assert.True(actual.TryGetProperty(property.Name, out var value));
                    Compare(property.Value, value);
                    properties++;
                }

                Assert.Equal(properties, actual.Count);
                break;
            case JsonValueKind.Array:
                Assert.Equal((JsonKind.Array, expected.GetArrayLength()), (actual.Kind, actual.Count));
                for (var i = 0; i < actual.Count; i++)
                    Compare(expected[i], actual[i]);
                break;
            case JsonValueKind.String:
                Assert.Equal(expected.GetString(), actual.GetString());
                break;
            case JsonValueKind.Number:
                Assert.Equal(expected.GetRawText(), actual.GetNumberText());
                Assert.Equal(expected.GetDouble(), actual.GetDouble());
                Assert.Equal(expected.TryGetInt64(out var integer) && expected.GetRawText() != "-0", actual.IsInteger);
                if (actual.IsInteger)
                    Assert.Equal(integer, actual.GetInt64());
                break;
            default:
                Assert.Equal(expected.GetRawText(), actual.ToString());
                break;
        }
    }
}
