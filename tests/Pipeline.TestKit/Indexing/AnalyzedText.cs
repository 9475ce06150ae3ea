using System.Text;
using Pipeline.Indexing.Analysis;

namespace Pipeline.TestKit.Indexing;

/// <summary>All tokens of a text, and the positions that are skipped behind them.</summary>
public sealed record AnalyzedText(IReadOnlyList<AnalyzedToken> Tokens, int SkippedAtEnd)
{
    public static AnalyzedText Of(Analyzer analyzer, string text, TokenBuffer? buffer = null) =>
        Of(analyzer, Encoding.UTF8.GetBytes(text), buffer);

    public static AnalyzedText Of(Analyzer analyzer, ReadOnlySpan<byte> text, TokenBuffer? buffer = null)
    {
        var all = new List<AnalyzedToken>();
        var tokens = analyzer.Tokens(text, buffer ?? new TokenBuffer());
        while (tokens.MoveNext())
        {
            var token = tokens.Current;
            all.Add(
                new AnalyzedToken(Encoding.UTF8.GetString(token.Term), token.PositionIncrement, token.Start, token.End)
            );
        }

        return new AnalyzedText(all, tokens.SkippedAtEnd);
    }

    /// <summary>The terms, with a blank between them.</summary>
    public string Terms => string.Join(' ', Tokens.Select(t => t.Term));

    public bool Equals(AnalyzedText? other) =>
        other is not null && SkippedAtEnd == other.SkippedAtEnd && Tokens.SequenceEqual(other.Tokens);

    public override int GetHashCode() => HashCode.Combine(Tokens.Count, SkippedAtEnd);

    /// <summary>Each token as term+increment[start,end).</summary>
    public override string ToString() =>
        string.Join(' ', Tokens.Select(t => $"{Escape(t.Term)}+{t.Increment}[{t.Start},{t.End})"))
        + $" +{SkippedAtEnd}";

    private static string Escape(string text) =>
        string.Concat(text.Select(c => c is > ' ' and < '\x7F' ? c.ToString() : $"\\u{(int)c:X4}"));
}

/// <summary>
/// A token as tests compare it: the term as a string, the position increment, and the offsets in bytes.
/// </summary>
public sealed record AnalyzedToken(string Term, int Increment, int Start, int End);
