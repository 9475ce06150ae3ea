using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pipeline.TestKit.Indexing;

/// <summary>
/// The committed tokens of Lucene 9.12 for <see cref="AdversarialTexts.Written"/>, one text a line.
/// The integration test against Lucene verifies them, and writes them with PIPELINE_WRITE_GOLDEN=true.
/// </summary>
public static class GoldenTokens
{
    private static readonly JsonSerializerOptions Ascii = new() { Encoder = JavaScriptEncoder.Default };

    /// <summary>The file of an analyzer, from the repository's folder.</summary>
    public static string FileOf(string analyzer) => $"tests/Pipeline.Indexing.Tests/Analysis/Golden/{analyzer}.jsonl";

    /// <summary>
    /// The texts in an analyzer's file: all, but for ngram, which makes thousands of tokens of long ones, the short.
    /// </summary>
    public static IReadOnlyList<string> TextsOf(string analyzer) =>
        analyzer == "ngram" ? [.. AdversarialTexts.Written.Where(t => t.Length <= 60)] : AdversarialTexts.Written;

    /// <summary>A line of the file.</summary>
    public static string Line(string text, AnalyzedText analyzed) =>
        JsonSerializer.Serialize(
            new
            {
                text,
                tokens = analyzed.Tokens.Select(t => new object[] { t.Term, t.Increment, t.Start, t.End }),
                skipped = analyzed.SkippedAtEnd,
            },
            Ascii
        );
}
