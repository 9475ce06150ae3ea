using System.Text;
using Pipeline.Indexing.Analysis.Tokenizers;

namespace Pipeline.Indexing.Analysis;

/// <summary>A set of terms that are left out, looked up as UTF-8 without allocation. Immutable; safe for any number of threads.</summary>
public sealed class StopWords
{
    private readonly byte[][] slots;
    private readonly int longest;

    /// <summary>A set of words; they are lower-cased as the analyzers lower-case terms.</summary>
    public StopWords(IEnumerable<string> words)
    {
        // An analyzer of its own: those of Analyzers are made of stop words themselves.
        var (lowerCase, buffer) = (new Analyzer("", new KeywordTokenizer(lowerCase: true)), new TokenBuffer());
        var terms = words.Select(w => lowerCase.Normalize(Encoding.UTF8.GetBytes(w), buffer).ToArray()).Where(t => t.Length > 0).ToList();
        Words = [.. terms.Select(Encoding.UTF8.GetString).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)];

        // At most a quarter of the slots is taken, so that the search for a term that is not here ends after a step or two.
        slots = new byte[System.Numerics.BitOperations.RoundUpToPowerOf2((uint)(Words.Count * 4) + 1)][];
        foreach (var term in terms)
        {
            if (Contains(term)) continue;
            var slot = Hash(term);
            while (slots[slot & (slots.Length - 1)] is not null) slot++;
            slots[slot & (slots.Length - 1)] = term;
            longest = Math.Max(longest, term.Length);
        }
    }

    /// <summary>Lucene's list of 33 English words.</summary>
    public static StopWords English { get; } = new([
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on", "or", "such",
        "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with"]);

    /// <summary>The words, in ordinal order.</summary>
    public IReadOnlyList<string> Words { get; }

    /// <summary>Whether a term is one of them.</summary>
    public bool Contains(ReadOnlySpan<byte> term)
    {
        if (term.Length > longest) return false;
        for (var slot = Hash(term); slots[slot & (slots.Length - 1)] is { } word; slot++)
            if (term.SequenceEqual(word)) return true;
        return false;
    }

    private static int Hash(ReadOnlySpan<byte> term)
    {
        var hash = 2166136261u;
        foreach (var b in term) hash = (hash ^ b) * 16777619;
        return (int)(hash >> 1);
    }
}
