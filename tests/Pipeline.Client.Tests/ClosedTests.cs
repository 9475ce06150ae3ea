using System.Linq.Expressions;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;
using Pipeline.Client.Queries;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Values of a query's expressions are those that C# computes.</summary>
public sealed partial class ClosedTests
{
    private enum Level : byte
    {
        Low = 1,
        High = 2,
    }

    private readonly int _number = 7;
    private readonly int? _maybe = 8;
    private readonly Level _level = Level.High;
    private readonly long _wide = long.MaxValue - 1;
    private readonly float _single = 0.1f;
    private readonly char _letter = 'x';
    private readonly object _boxed = 5;
    private int _calls;

    private static int? None => null;

    public static TheoryData<string> Cases => [.. Expressions(new ClosedTests()).Keys];

    private static Dictionary<string, LambdaExpression> Expressions(ClosedTests t)
    {
        Expression<Func<object?>>[] all =
        [
            () => (decimal)t._number,
            () => (decimal?)t._maybe,
            () => (decimal?)None,
            () => (long)t._number,
            () => (long?)t._number,
            () => (long?)t._maybe,
            () => (double)t._wide,
            () => (float)t._number,
            () => (int)t._level,
            () => (int?)t._level,
            () => (Level)t._number,
            () => (byte)t._level,
            () => (double)t._single,
            () => (decimal)t._single,
            () => (int)t._letter,
            () => (double)t._letter,
            () => (uint)t._number,
            () => unchecked((int)t._wide),
            () => (int)t._boxed,
            () => (int?)t._boxed,
            () => (IComparable)t._number,
            () => (object)t._level,
            () => (short)3 + t._number,
            () => t._maybe!.Value,
            () => (Index)t._number,
            () => new[] { t._number, 2 },
            () => new object?[] { null, t._number, "a" },
            () => new[] { Level.Low, t._level },
            () => new int?[] { None, 1 },
            () => new long[] { t._number, t._wide },
            () => DateTime.UnixEpoch.AddDays(t._number),
            () => t.ToString(),
            () => string.Concat("a", t._letter),
            () => None ?? 3,
            () => new List<int> { t._number }.Count,
            () => new[] { 1, 2 }.Where(n => n > 1).Count(),
        ];
        return all.Index().ToDictionary(e => $"{e.Index}: {e.Item.Body}", e => (LambdaExpression)e.Item);
    }

    public override string ToString() => "a test";

    [Theory]
    [MemberData(nameof(Cases))]
    public void Values_and_their_types_are_those_of_compiled_code(string text)
    {
        var expression = Expressions(this)[text];
        Assert.True(Closed.TryEvaluate(expression.Body, out var value));
        var expected = ((Expression<Func<object?>>)expression).Compile()();
        Assert.Equal(expected, value);
        Assert.Equal(expected?.GetType(), value?.GetType());
    }

    [Fact]
    public void A_conversion_that_fails_fails_and_a_call_runs_once()
    {
        Expression<Func<object>> absent = () => (int)None!,
            other = () => (long)_boxed,
            counted = () => checked((short)Count()),
            wide = () => (long)Count();
        Assert.Throws<System.Reflection.TargetInvocationException>(() => Closed.TryEvaluate(absent.Body, out _));
        Assert.Throws<System.Reflection.TargetInvocationException>(() => Closed.TryEvaluate(other.Body, out _));
        Assert.True(Closed.TryEvaluate(counted.Body, out var first));
        Assert.True(Closed.TryEvaluate(wide.Body, out var second));
        Assert.Equal((short)1, first);
        Assert.Equal(2L, second);
    }

    [Fact]
    public void A_part_with_a_parameter_is_not_evaluated()
    {
        Expression<Func<string, object>> named = s => new[] { s, "a" },
            converted = s => (long)s.Length,
            called = s => string.Concat("a", s),
            inner = s => new[] { 1 }.Any(n => n == s.Length),
            none = s => new[] { 1 }.Any(n => n == 1);
        Assert.All([named, converted, called, inner], e => Assert.False(Closed.TryEvaluate(e.Body, out _)));
        Assert.True(Closed.TryEvaluate(none.Body, out var found));
        Assert.Equal(true, found);
    }

    [Fact]
    public void Whether_a_value_is_a_text_is_what_the_serializer_writes()
    {
        JsonSerializerOptions[] all =
        [
            new(),
            new() { NumberHandling = JsonNumberHandling.WriteAsString },
            new() { NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals },
            new() { Converters = { new JsonStringEnumConverter() } },
            new() { Converters = { new TextNumber(), new NumberTime() } },
        ];
        object[] values =
        [
            1,
            2L,
            3m,
            4.5,
            6f,
            true,
            'c',
            "a",
            DateTime.UnixEpoch,
            DateTimeOffset.UnixEpoch,
            DateOnly.MinValue,
            TimeOnly.MinValue,
            TimeSpan.Zero,
            Guid.Empty,
            Level.Low,
            (Level)9,
            new Uri("http://127.0.0.1"),
        ];
        foreach (var json in all)
        {
            var options = new DocumentStoreOptions { Json = json };
            Assert.All(
                values,
                v =>
                    Assert.Equal(
                        JsonSerializer.SerializeToElement(v, options.Serializer).ValueKind == JsonValueKind.String,
                        StoredTypes.IsText(v, options)
                    )
            );
        }

        Assert.True(StoredTypes.IsText(double.NaN, new DocumentStoreOptions { Json = all[2] }));
    }

    [Theory]
    [
        InlineData("Total"),
        InlineData("ShipTo.City"),
        InlineData("Lines[].Product"),
        InlineData("Größe"),
        InlineData("_a1"),
        InlineData("a.b[].c[]"),
        InlineData("")
    ]
    [
        InlineData("1a"),
        InlineData("a b"),
        InlineData("a."),
        InlineData(".a"),
        InlineData("a[]b"),
        InlineData("a[][]"),
        InlineData("Länge.ß"),
        InlineData("ß"),
        InlineData("a-b"),
        InlineData("a'b"),
        InlineData("@id"),
        InlineData("[]")
    ]
    public void A_path_is_written_without_quotes_as_before(string path) =>
        Assert.Equal(PlainPath().IsMatch(path), Rql.IsPlain(path));

    [Theory]
    [InlineData("Count"), InlineData("order"), InlineData("a.select"), InlineData("id[].a")]
    public void Words_of_the_language_are_quoted(string path) => Assert.False(Rql.IsPlain(path));

    private int Count() => ++_calls;

    [GeneratedRegex(@"^[A-Za-z_]\w*(\[\])?(\.[A-Za-z_]\w*(\[\])?)*$", RegexOptions.CultureInvariant)]
    private static partial Regex PlainPath();

    private sealed class TextNumber : JsonConverter<int>
    {
        public override int Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, int value, JsonSerializerOptions options) =>
            writer.WriteStringValue("number");
    }

    private sealed class NumberTime : JsonConverter<DateTime>
    {
        public override DateTime Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, DateTime value, JsonSerializerOptions options) =>
            writer.WriteNumberValue(value.Ticks);
    }
}
