using Pipeline.TestKit.Files;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>
/// Files of texts with their results: a line with the text, then a line that begins with <c>=></c>. A line break is
/// written ⏎.
/// </summary>
internal static class GoldenQueries
{
    public static IEnumerable<(string Text, string Expected)> Read(string file)
    {
        var lines = File.ReadAllLines(
            Path.Combine(RepositoryTree.Root, "tests/Pipeline.Database.Tests/Queries/Language", file)
        );
        for (var i = 0; i + 1 < lines.Length; i++)
        {
            if (lines[i + 1].StartsWith("  => ", StringComparison.Ordinal))
                yield return (lines[i].Replace('⏎', '\n'), lines[++i][5..].Replace('⏎', '\n'));
        }
    }
}
