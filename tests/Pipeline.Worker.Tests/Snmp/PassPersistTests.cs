using System.Text;
using Pipeline.Worker.Snmp;
using Xunit;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>The protocol between net-snmp's agent and its program.</summary>
public sealed class PassPersistTests
{
    private static readonly SnmpTree Tree = new([
        Value("1.3.10.0", "gauge", "10"),
        Value("1.3.2.0", "integer", "1"),
        Value("1.3.9.1.2.11", "string", "eleven"),
        Value("1.3.9.1.2.2", "string", "two"),
        Value("1.3.9.1.3.1", "counter64", "18446744073709551615"),
    ]);

    [Fact]
    public async Task APingIsAnswered() => Assert.Equal("PONG\nPONG\n", await AnswerAsync("PING\nPING\n"));

    [Fact]
    public async Task AGetAnswersIdentifierTypeAndValue() =>
        Assert.Equal(
            ".1.3.9.1.3.1\ncounter64\n18446744073709551615\n.1.3.2.0\ninteger\n1\n",
            await AnswerAsync("get\n.1.3.9.1.3.1\nget\n1.3.2.0\n")
        );

    [Theory]
    [InlineData(".1.3.2")]
    [InlineData(".1.3.2.0.0")]
    [InlineData(".1.3.9.1.2.3")]
    [InlineData(".1.4")]
    [InlineData("no identifier")]
    public async Task AGetOfAnythingElseHasNoAnswer(string id) =>
        Assert.Equal("NONE\nPONG\n", await AnswerAsync($"get\n{id}\nPING\n"));

    [Theory]
    [InlineData(".1.3", ".1.3.2.0")]
    [InlineData(".1.2.99", ".1.3.2.0")]
    [InlineData(".1.3.2", ".1.3.2.0")]
    [InlineData(".1.3.2.0", ".1.3.9.1.2.2")]
    [InlineData(".1.3.2.0.5", ".1.3.9.1.2.2")]
    [InlineData(".1.3.9.1.2.2", ".1.3.9.1.2.11")]
    [InlineData(".1.3.9.1.2.3", ".1.3.9.1.2.11")]
    [InlineData(".1.3.9.1.2.100", ".1.3.9.1.3.1")]
    [InlineData(".1.3.9.1.3.1", ".1.3.10.0")]
    public async Task AGetNextAnswersTheNextIdentifierByNumbers(string id, string next) =>
        Assert.StartsWith(next + "\n", await AnswerAsync($"getnext\n{id}\n"));

    [Theory]
    [InlineData(".1.3.10.0")]
    [InlineData(".1.3.11")]
    [InlineData(".1.x")]
    public async Task AGetNextAfterTheLastHasNoAnswer(string id) =>
        Assert.Equal("NONE\n", await AnswerAsync($"getnext\n{id}\n"));

    [Theory]
    // Debian 12 (5.9.3), Debian 13 (5.9.4), and a preview of 5.10.
    [InlineData("set\n.1.3.2.0\ninteger 5\n\nPING\n")]
    [InlineData("set\n.1.3.2.0\ninteger 5\nPING\n")]
    [InlineData("set\n.1.3.2.0\ninteger 5PING\n")]
    [InlineData("set\n.1.3.2.0\nstring \"PING\"\nPING\n")]
    public async Task ASetIsRefused(string request) =>
        Assert.Equal("not-writable\nPONG\n.1.3.2.0\ninteger\n1\n", await AnswerAsync(request + "get\n.1.3.2.0\n"));

    [Fact]
    public async Task TheRefusalDoesNotWaitForTheValue() =>
        Assert.Equal("not-writable\n", await AnswerAsync("set\n.1.3.2.0\n"));

    [Fact]
    public async Task TwoSetsInARowAreRefused() =>
        Assert.Equal(
            "not-writable\nnot-writable\nPONG\n",
            await AnswerAsync("set\n.1.3.2.0\ninteger 5\n\nset\n.1.3.2.0\ninteger 6\n\nPING\n")
        );

    [Theory]
    [InlineData("dump\nPING\n", "NONE\nPONG\n")]
    [InlineData("GET\n.1.3.2.0\nPING\n", "NONE\nNONE\nPONG\n")]
    [InlineData("PING\r\nget\r\n.1.3.2.0\r\n", "PONG\n.1.3.2.0\ninteger\n1\n")]
    [InlineData("get", "")]
    [InlineData("", "")]
    public async Task OtherInputDoesNoHarm(string input, string answer) =>
        Assert.Equal(answer, await AnswerAsync(input));

    [Fact]
    public async Task AnEmptyLineEndsIt() => Assert.Equal("PONG\n", await AnswerAsync("PING\n\nPING\n"));

    private static async Task<string> AnswerAsync(string input)
    {
        using var output = new MemoryStream();
        using var reader = new StringReader(input);
        await new PassPersist(reader, output, _ => Task.FromResult(Tree)).RunAsync(CancellationToken.None);
        return Encoding.UTF8.GetString(output.ToArray());
    }

    private static SnmpValue Value(string id, string type, string text)
    {
        Assert.True(ObjectId.TryParse(id, out var parsed));
        return new SnmpValue(parsed, type, text);
    }
}
