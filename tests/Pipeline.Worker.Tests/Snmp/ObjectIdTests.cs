using Pipeline.Worker.Snmp;
using Xunit;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>Identifiers are ordered by their numbers, and read as net-snmp writes them.</summary>
public sealed class ObjectIdTests
{
    [Theory]
    [InlineData(".1.3.6.1", ".1.3.6.1")]
    [InlineData("1.3.6.1", ".1.3.6.1")]
    [InlineData("1", ".1")]
    [InlineData(".1.4294967295", ".1.4294967295")]
    public void AnIdentifierIsRead(string text, string written)
    {
        Assert.True(ObjectId.TryParse(text, out var id));
        Assert.Equal(written, id.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("1..3")]
    [InlineData("1.3.")]
    [InlineData("1.-3")]
    [InlineData("1. 3")]
    [InlineData("1.4294967296")]
    [InlineData("1.x")]
    [InlineData("iso.3.6")]
    public void OtherTextIsNone(string text) => Assert.False(ObjectId.TryParse(text, out _));

    [Fact]
    public void AnIdentifierHasAtMost128Numbers()
    {
        Assert.True(ObjectId.TryParse(string.Join('.', Enumerable.Repeat(1, 128)), out _));
        Assert.False(ObjectId.TryParse(string.Join('.', Enumerable.Repeat(1, 129)), out _));
    }

    [Theory]
    [InlineData("1.3.2", "1.3.10")]
    [InlineData("1.3", "1.3.0")]
    [InlineData("1.3.9.99", "1.3.10")]
    [InlineData("1.3.2147483647", "1.3.2147483648")]
    public void NumbersAreComparedAsNumbers(string first, string second)
    {
        Assert.True(ObjectId.TryParse(first, out var low));
        Assert.True(ObjectId.TryParse(second, out var high));
        Assert.True(low.CompareWith(high) < 0);
        Assert.True(high.CompareWith(low) > 0);
        Assert.Equal(0, low.CompareWith(low));
    }
}
