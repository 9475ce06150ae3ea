using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>
/// What a reader may rely on in every file: sizes, links that lead somewhere, snippets that are compiled, no empty
/// catch.
/// </summary>
public sealed partial class TidyRules
{
    private const int MaxLines = 400;

    [Fact]
    public void No_source_file_is_longer_than_400_lines()
    {
        var long_ = RepositoryTree
            .Files(".cs")
            .Select(f => (File: RepositoryTree.Relative(f), Lines: File.ReadLines(f).Count()))
            .Where(f => f.Lines > MaxLines)
            .ToList();
        Assert.True(long_.Count == 0, string.Join('\n', long_.Select(f => $"{f.File}: {f.Lines} lines")));
    }

    [Fact]
    public void No_catch_is_empty()
    {
        // Tests of scripts hold users' code as text, empty catches among it.
        var found = RepositoryTree
            .Files(".cs")
            .Select(RepositoryTree.Relative)
            .Where(f =>
                !f.StartsWith("tests/Pipeline.Tests/Rules/", StringComparison.Ordinal)
                && !f.StartsWith("tests/Pipeline.Database.Tests/Scripts/", StringComparison.Ordinal)
            )
            .Where(f => EmptyCatch().IsMatch(File.ReadAllText(Path.Combine(RepositoryTree.Root, f))))
            .ToList();
        Assert.True(found.Count == 0, "an error is swallowed without a word in: " + string.Join(", ", found));
    }

    [Fact]
    public void Links_in_documents_lead_to_files()
    {
        var pages = RepositoryTree.Files(".md").ToList();
        Assert.NotEmpty(pages);
        foreach (var page in pages)
        {
            foreach (Match link in Link().Matches(File.ReadAllText(page)))
            {
                var target = link.Groups[1].Value.Split('#')[0];
                if (target.Length == 0 || target.Contains("://", StringComparison.Ordinal))
                    continue;
                var full = Path.GetFullPath(Path.Combine(Path.GetDirectoryName(page)!, target));
                Assert.True(
                    File.Exists(full) || Directory.Exists(full),
                    $"{RepositoryTree.Relative(page)} links to {target}, which is not there"
                );
            }
        }
    }

    [Fact]
    public void Snippets_in_documents_are_cut_from_files()
    {
        var count = 0;
        foreach (var page in RepositoryTree.Files(".md"))
        {
            foreach (Match snippet in Snippet().Matches(File.ReadAllText(page)))
            {
                count++;
                var source = Path.Combine(RepositoryTree.Root, snippet.Groups["file"].Value);
                Assert.True(
                    File.Exists(source),
                    $"{RepositoryTree.Relative(page)} cuts from {snippet.Groups["file"].Value}, which is not there"
                );
                Assert.True(
                    Normalise(File.ReadAllText(source))
                        .Contains(Normalise(snippet.Groups["code"].Value), StringComparison.Ordinal),
                    $"{RepositoryTree.Relative(page)}: the snippet from {snippet.Groups["file"].Value} is not in that file any more"
                );
            }
        }

        Assert.True(count > 0, "README.md shows at least one snippet");
    }

    /// <summary>Indentation differs between a page and the file that it is cut from; all else is the same.</summary>
    private static string Normalise(string code) =>
        string.Join('\n', code.Split('\n').Select(l => l.Trim()).Where(l => l.Length > 0));

    [GeneratedRegex(@"catch\s*(\([^)]*\))?\s*(when\s*\([^{]*\))?\s*\{\s*\}")]
    private static partial Regex EmptyCatch();

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"<!-- cut from (?<file>\S+) -->\s*```\w*\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Snippet();
}
