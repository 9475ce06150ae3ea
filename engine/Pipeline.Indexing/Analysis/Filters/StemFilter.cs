using System.Text;

namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>Puts each lower-cased term's stem by <see cref="PorterStemmer"/> in its place.</summary>
internal sealed class StemFilter : TokenFilter
{
    public override void Apply(TokenBuffer buffer)
    {
        Span<char> word = stackalloc char[Tokenizers.Tokenizer.MaxTokenUnits + 1];
        foreach (ref var entry in buffer.Entries)
        {
            // A stem is never longer than its word, in characters or in bytes, so it fits in the word's place.
            var term = buffer.Term(entry);
            var length = Encoding.UTF8.GetChars(term, word);
            entry.TermLength = Encoding.UTF8.GetBytes(word[..PorterStemmer.Stem(word[..length])], term);
        }
    }
}
