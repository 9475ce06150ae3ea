using System.Globalization;
using System.Text;
using Pipeline.Database.Queries.Binding;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Binding;

/// <summary>Dates in all of ISO 8601's forms become terms that sort by time.</summary>
public sealed class DateTermTests
{
    [Theory]
    [InlineData("2020-02-03", "2020-02-03t00:00:00.0000000")]
    [InlineData("2020-02-03T04:05", "2020-02-03t04:05:00.0000000")]
    [InlineData("2020-02-03T04:05:06", "2020-02-03t04:05:06.0000000")]
    [InlineData("2020-02-03 04:05:06", "2020-02-03t04:05:06.0000000")]
    [InlineData("2020-02-03t04:05:06z", "2020-02-03t04:05:06.0000000")]
    [InlineData("2020-02-03T04:05:06.7", "2020-02-03t04:05:06.7000000")]
    [InlineData("2020-02-03T04:05:06,123456789Z", "2020-02-03t04:05:06.1234567")]
    [InlineData("2020-02-03T04:05:06.1234567+02:30", "2020-02-03t01:35:06.1234567")]
    [InlineData("2020-02-29T23:30:00-0100", "2020-03-01t00:30:00.0000000")]
    [InlineData("2020-02-03T04:05+02", "2020-02-03t02:05:00.0000000")]
    [InlineData("20200203T040506Z", "2020-02-03t04:05:06.0000000")]
    [InlineData("20200203T0405", "2020-02-03t04:05:00.0000000")]
    [InlineData("0001-01-01T00:00:00", "0001-01-01t00:00:00.0000000")]
    [InlineData("9999-12-31T23:59:59.9999999", "9999-12-31t23:59:59.9999999")]
    public void A_date_has_a_term(string text, string expected) =>
        Assert.Equal(expected, Encoding.UTF8.GetString(DateTerm.TryMake(text)!));

    [Theory]
    [InlineData("")]
    [InlineData("2020-02")]
    [InlineData("2020-02-30")]
    [InlineData("2020-13-01")]
    [InlineData("0000-01-01")]
    [InlineData("20200203")]
    [InlineData("1234567890")]
    [InlineData("2020-02-03T")]
    [InlineData("2020-02-03T25:00")]
    [InlineData("2020-02-03T04:60")]
    [InlineData("2020-02-03T04:05:")]
    [InlineData("2020-02-03T04:05:6")]
    [InlineData("2020-02-03T04:05:06.")]
    [InlineData("2020-02-03T04:05:06Zx")]
    [InlineData("2020-02-03T04:05:06+15:00")]
    [InlineData("2020-02-03T04:05:06+1:00")]
    [InlineData("2020-02-03x04:05")]
    [InlineData("2020/02/03 04:05")]
    [InlineData("2020-02-03-04-05")]
    [InlineData("0001-01-01T00:00:00+01:00")]
    [InlineData("２０２０-02-03")]
    [InlineData("2020-02-03T04:05:06.00000000000000000000000")]
    public void Another_text_has_none(string text) => Assert.Null(DateTerm.TryMake(text));

    [Fact]
    public void Terms_sort_as_times_do()
    {
        var random = new Random(3);
        for (var i = 0; i < 2_000; i++)
        {
            DateTimeOffset a = Time(),
                b = Time();
            var expected = Math.Sign(a.UtcTicks.CompareTo(b.UtcTicks));
            Assert.Equal(
                expected,
                Math.Sign(DateTerm.TryMake(Text(a))!.AsSpan().SequenceCompareTo(DateTerm.TryMake(Text(b))))
            );
        }

        DateTimeOffset Time() =>
            new DateTimeOffset(
                random.NextInt64(TimeSpan.TicksPerDay * 366, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay),
                TimeSpan.Zero
            ).ToOffset(TimeSpan.FromMinutes(random.Next(-840, 841)));
        static string Text(DateTimeOffset time) => time.ToString("O", CultureInfo.InvariantCulture);
    }
}
