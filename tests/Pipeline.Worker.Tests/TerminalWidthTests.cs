using System.Text.Json;
using Pipeline.Etl.Runner;
using Pipeline.Hosting.Tasks;
using Pipeline.Worker.Terminal;
using Spectre.Console.Rendering;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Tables fit the terminal, one line for each row.</summary>
public sealed class TerminalWidthTests
{
    private static string[] Render(IRenderable drawing, int width)
    {
        var output = new StringWriter();
        var console = SummaryTable.ConsoleFor(output, isTerminal: false);
        console.Profile.Width = width;
        console.Write(drawing);
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("orders-to-the-data-warehouse-of-the-holding")]
    public void TopFits80Columns(string name)
    {
        var task = new TaskView(
            name,
            "kafka",
            "kafka",
            "retrying",
            1_234_567_890,
            99_999_999,
            99_999_999,
            123_456.7,
            1_000_000,
            0,
            12_345_678,
            1 << 30,
            123_456,
            1_123_456,
            1_234_567,
            3,
            new Dictionary<string, long> { ["transient"] = 1_234 },
            new EtlTaskTimes(1, 2, 3),
            null,
            null,
            null
        );
        var lines = Render(TopTable.Draw([task, task], null, 80), 80);

        Assert.Equal(6, lines.Length);
        Assert.All(lines, l => Assert.True(l.Length <= 80, l));
        Assert.Contains(name[..6], lines[3], StringComparison.Ordinal);
        foreach (var figure in (string[])["retrying", "123456.7 s", "99,999,999", "1,123,456", "1,234,567"])
            Assert.Contains(figure, lines[3], StringComparison.Ordinal);
        foreach (var heading in (string[])["task", "state", "lag", "waits", "msgs/s", "dead"])
            Assert.Contains(heading, lines[1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(40)]
    [InlineData(80)]
    [InlineData(200)]
    public void AResultOfAQueryIsOneLine(int width)
    {
        var fields = string.Join(
            ',',
            Enumerable.Range(0, 20).Select(i => $"\"Field{i}\":\"{string.Concat(Enumerable.Repeat("word ", 30))}\"")
        );
        using var document = JsonDocument.Parse("{\"@metadata\":{\"@id\":\"orders/1\"}," + fields + "}");
        var (table, leftOut) = QueryTable.Draw([document.RootElement, document.RootElement], width);
        var lines = Render(table, width);

        Assert.Equal(6, lines.Length);
        Assert.All(lines, l => Assert.True(l.Length <= width, l));
        Assert.Contains("orders/1", lines[3], StringComparison.Ordinal);
        Assert.Contains("word", lines[3], StringComparison.Ordinal);
        Assert.Contains("…", lines[3], StringComparison.Ordinal);
        Assert.Equal(20, leftOut + lines[1].Split('│', StringSplitOptions.RemoveEmptyEntries).Length - 1);
    }
}
