using System.Globalization;
using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Guides;

/// <summary>The numbers in docs/guides/compared.md are those of the code on the pages that it names.</summary>
public sealed partial class ComparedPageTests
{
    private const int Jobs = 10;

    [Theory]
    [InlineData("from-ravendb.md", 2)]
    [InlineData("from-marten.md", 3)]
    [InlineData("from-litedb.md", 4)]
    [InlineData("from-mongodb.md", 5)]
    public void The_table_counts_the_lines(string page, int column)
    {
        var rows = File.ReadAllLines(Guide("compared.md"))
            .Where(l => Row().IsMatch(l))
            .Select(l => l.Split('|', StringSplitOptions.TrimEntries)[1..^1])
            .ToList();
        var jobs = Job().Split(File.ReadAllText(Guide(page)))[1..];
        Assert.Equal((Jobs, Jobs), (rows.Count, jobs.Length));
        for (var i = 0; i < Jobs; i++)
        {
            var blocks = Block().Matches(jobs[i]);
            var theirs = blocks.Where(b => !b.Groups["cut"].Success).Select(Lines).SingleOrDefault("none");
            Assert.Equal(rows[i][0], $"{i + 1}. {jobs[i].Split('\n')[0]}");
            Assert.Equal(
                (i, Lines(blocks.Single(b => b.Groups["cut"].Success)), theirs),
                (i, rows[i][1], rows[i][column])
            );
        }
    }

    [Fact]
    public void The_table_adds_the_lines()
    {
        var rows = File.ReadAllLines(Guide("compared.md"))
            .Where(l => l.StartsWith("| ", StringComparison.Ordinal))
            .Select(l => l.Split('|', StringSplitOptions.TrimEntries)[2..^1])
            .ToList();
        Assert.Equal(Jobs + 2, rows.Count);
        var sums = rows[0]
            .Select(
                (_, i) => rows[1..^1].Sum(r => int.TryParse(r[i], CultureInfo.InvariantCulture, out var n) ? n : 0)
            );
        Assert.Equal(rows[^1].Select(n => int.Parse(n, CultureInfo.InvariantCulture)), sums);
    }

    private static string Lines(Match block) =>
        block.Groups["code"].Value.Split('\n').Count(l => l.Trim().Length > 0).ToString(CultureInfo.InvariantCulture);

    private static string Guide(string name) => Path.Combine(RepositoryTree.Root, "docs/guides", name);

    [GeneratedRegex(@"^\| \d+\. ")]
    private static partial Regex Row();

    [GeneratedRegex(@"^## \d+\. ", RegexOptions.Multiline)]
    private static partial Regex Job();

    [GeneratedRegex(@"(?<cut><!-- cut from \S+ -->\n)?```(csharp|cs)\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Block();
}
