namespace Pipeline.Indexing;

/// <summary>Terms that end with some bytes.</summary>
internal sealed class SuffixMatcher(ReadOnlyMemory<byte> suffix) : TermMatcher
{
    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        return term.EndsWith(suffix.Span);
    }
}
