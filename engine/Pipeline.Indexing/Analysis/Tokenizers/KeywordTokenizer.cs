namespace Pipeline.Indexing.Analysis.Tokenizers;

/// <summary>The whole text is one token, also the empty text.</summary>
internal sealed class KeywordTokenizer(bool lowerCase) : Tokenizer(lowerCase)
{
    public override int Tokenize(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer)
    {
        AddTerm(text, 0, text.Length, buffer);
        return -1;
    }
}
