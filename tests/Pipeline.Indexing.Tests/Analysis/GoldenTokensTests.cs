using Pipeline.Indexing.Analysis;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Indexing;
using Xunit;

namespace Pipeline.Indexing.Tests.Analysis;

/// <summary>
/// Our analyzers give the committed tokens of Lucene 9.12: terms, position increments, offsets, positions skipped at
/// the end.
/// </summary>
public sealed class GoldenTokensTests
{
    public static TheoryData<string> Names => [.. Analyzers.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public void The_tokens_are_those_of_Lucene(string analyzer)
    {
        var golden = File.ReadAllLines(Path.Combine(RepositoryTree.Root, GoldenTokens.FileOf(analyzer)));
        var ours = GoldenTokens
            .TextsOf(analyzer)
            .Select(text => GoldenTokens.Line(text, AnalyzedText.Of(Analyzers.Get(analyzer), text)));
        Assert.Equal(golden, ours);
    }
}
