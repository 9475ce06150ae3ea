using System.Text;
using Pipeline.Indexing.Analysis.Tokenizers;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// A set of terms that are left out, looked up as UTF-8 without allocation. Immutable; safe for any number of threads.
/// </summary>
public sealed class StopWords
{
    private readonly HashSet<byte[]>.AlternateLookup<ReadOnlySpan<byte>> _terms;
    private readonly int _longest;

    /// <summary>A set of words; they are lower-cased as the analyzers lower-case terms.</summary>
    public StopWords(IEnumerable<string> words)
    {
        // Not an analyzer from Analyzers: those are themselves made with stop words.
        var (lowerCase, buffer) = (new Analyzer("", new KeywordTokenizer(lowerCase: true)), new TokenBuffer());
        _terms = new HashSet<byte[]>(TermComparer.Instance).GetAlternateLookup<ReadOnlySpan<byte>>();
        foreach (var word in words)
        {
            var term = lowerCase.Normalize(Encoding.UTF8.GetBytes(word), buffer);
            _terms.Add(term);
            _longest = Math.Max(_longest, term.Length);
        }

        Words = [.. _terms.Set.Select(Encoding.UTF8.GetString).Order(StringComparer.Ordinal)];
    }

    /// <summary>Lucene's list of 33 English words.</summary>
    public static StopWords English { get; } =
        new([
            "a",
            "an",
            "and",
            "are",
            "as",
            "at",
            "be",
            "but",
            "by",
            "for",
            "if",
            "in",
            "into",
            "is",
            "it",
            "no",
            "not",
            "of",
            "on",
            "or",
            "such",
            "that",
            "the",
            "their",
            "then",
            "there",
            "these",
            "they",
            "this",
            "to",
            "was",
            "will",
            "with",
        ]);

    /// <summary>The words, in ordinal order.</summary>
    public IReadOnlyList<string> Words { get; }

    /// <summary>Whether a term is one of them.</summary>
    public bool Contains(ReadOnlySpan<byte> term) => term.Length <= _longest && _terms.Contains(term);
}
