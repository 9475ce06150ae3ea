using System.Text;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Database.Queries.Binding;

/// <summary>Makes the terms of a text in a field, exactly as indexing makes them.</summary>
internal static class FieldTerms
{
    /// <summary>The term of a whole value in a field that is not searched by words.</summary>
    internal static byte[] Whole(QueryField field, string text) =>
        field.Options.Indexing == TermForm.Exact ? Exact(text) : DateTerm.TryMake(text) ?? Lower(text);

    /// <summary>
    /// A part of a value (a prefix, a suffix, a piece of a pattern), which is never taken for a date.
    /// </summary>
    internal static byte[] Part(QueryField field, string text)
    {
        if (field.Options.Indexing == TermForm.Exact)
            return Encoding.UTF8.GetBytes(text);
        return field.Analyzer is { } analyzer
            ? analyzer.Normalize(Encoding.UTF8.GetBytes(text), new TokenBuffer()).ToArray()
            : LowerBytes(text);
    }

    /// <summary>The unchanged text as one term.</summary>
    internal static byte[] Exact(string text) => Normalize(Encoding.UTF8.GetBytes(text));

    /// <summary>The text in lower case as one term.</summary>
    internal static byte[] Lower(string text) => Normalize(LowerBytes(text));

    /// <summary>The terms that an analyzer makes of a text, with their places.</summary>
    internal static List<PhraseTerm> Analyzed(Analyzer analyzer, string text)
    {
        var terms = new List<PhraseTerm>();
        var position = -1;
        foreach (var token in analyzer.Tokens(Encoding.UTF8.GetBytes(text), new TokenBuffer()))
        {
            position += token.PositionIncrement;
            terms.Add(new PhraseTerm(Normalize(token.Term), position));
        }

        return terms;
    }

    private static byte[] Normalize(ReadOnlySpan<byte> term)
    {
        Span<byte> buffer = stackalloc byte[IndexTerm.MaxLength];
        return IndexTerm.Normalize(term, buffer).ToArray();
    }

    // One code point after the other, by Unicode's simple mapping, as the index does.
    private static byte[] LowerBytes(string text)
    {
        var lower = new StringBuilder(text.Length);
        foreach (var rune in text.EnumerateRunes())
            lower.Append(Rune.ToLowerInvariant(rune).ToString());
        return Encoding.UTF8.GetBytes(lower.ToString());
    }
}
