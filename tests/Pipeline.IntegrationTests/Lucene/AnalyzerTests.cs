using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Pipeline.Indexing.Analysis;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Indexing;
using Xunit;

namespace Pipeline.IntegrationTests.Lucene;

/// <summary>
/// Our analyzers give Lucene's tokens: term, position increment and offsets, and the positions skipped at the end.
/// </summary>
public sealed class AnalyzerTests
{
    private const int Seed = 20261121;

    public static TheoryData<string> Names => [.. Analyzers.Names];

    [SkippableTheory]
    [InlineData("standard")]
    [InlineData("stop")]
    [InlineData("english")]
    public async Task All_texts_of_the_films(string analyzer)
    {
        var texts = FilmTexts();
        Assert.True(texts.Count > 260_000, $"only {texts.Count} texts");
        var tokens = await CompareAsync(analyzer, texts);
        Assert.True(tokens > 1_500_000, $"only {tokens} tokens");
    }

    [SkippableTheory]
    [MemberData(nameof(Names))]
    public async Task Adversarial_and_random_texts_and_the_golden_file(string analyzer)
    {
        List<string> texts = [.. AdversarialTexts.Written, .. AdversarialTexts.Random(Seed, 30_000)];
        var (golden, lines) = (GoldenTokens.TextsOf(analyzer).ToHashSet(), new List<string>());
        await CompareAsync(
            analyzer,
            texts,
            (i, lucene) =>
            {
                if (i < AdversarialTexts.Written.Count && golden.Contains(texts[i]))
                    lines.Add(GoldenTokens.Line(texts[i], lucene));
            }
        );
        var file = Path.Combine(RepositoryTree.Root, GoldenTokens.FileOf(analyzer));
        if (Environment.GetEnvironmentVariable("PIPELINE_WRITE_GOLDEN") == "true")
            await File.WriteAllLinesAsync(file, lines);
        Assert.Equal(lines, await File.ReadAllLinesAsync(file));
    }

    [SkippableTheory]
    [InlineData("standard")]
    [InlineData("simple")]
    [InlineData("whitespace")]
    [InlineData("lower-case-keyword")]
    public async Task Every_code_point(string analyzer)
    {
        // Beyond the two planes with scripts only some are asked: they are of few kinds.
        var codePoints = Enumerable
            .Range(0, 0x110000)
            .Where(c => c is < 0xD800 or > 0xDFFF)
            .Where(c => c < 0x20000 || c % 61 == 0 || c is >= 0xE0000 and < 0xE0200);
        await CompareAsync(analyzer, [.. codePoints.Select(AdversarialTexts.Around)]);
    }

    private static async Task<long> CompareAsync(
        string name,
        List<string> texts,
        Action<int, AnalyzedText>? each = null
    )
    {
        var analyzer = Analyzers.Get(name);
        var buffer = new TokenBuffer();
        var (tokens, differences) = (0L, new List<string>());
        await LuceneAnalyzer.AnalyzeAsync(
            name,
            texts,
            (i, lucene) =>
            {
                var ours = AnalyzedText.Of(analyzer, texts[i], buffer);
                tokens += ours.Tokens.Count;
                each?.Invoke(i, lucene);
                if (!ours.Equals(lucene))
                {
                    differences.Add(
                        $"text {i} {JsonSerializer.Serialize(texts[i])}\n  ours   {ours}\n  Lucene {lucene}"
                    );
                }
            }
        );
        Assert.True(
            differences.Count == 0,
            $"{differences.Count} of {texts.Count} texts differ:\n{string.Join('\n', differences.Take(20))}"
        );
        return tokens;
    }

    /// <summary>Every string in every film but its metadata.</summary>
    private static List<string> FilmTexts()
    {
        using var stream = new GZipStream(
            File.OpenRead(LuceneAnalyzer.Shared("data/movies.jsonl.gz")),
            CompressionMode.Decompress
        );
        using var reader = new StreamReader(stream, Encoding.UTF8);
        var texts = new List<string>();
        while (reader.ReadLine() is { Length: > 0 } line)
        {
            using var film = JsonDocument.Parse(line);
            foreach (var property in film.RootElement.EnumerateObject().Where(p => p.Name != "@metadata"))
            {
                if (property.Value.ValueKind == JsonValueKind.String)
                    texts.Add(property.Value.GetString()!);
                else if (property.Value.ValueKind == JsonValueKind.Array)
                    texts.AddRange(property.Value.EnumerateArray().Select(v => v.GetString()!));
            }
        }

        return texts;
    }
}
