namespace Pipeline.Indexing;

/// <summary>Terms that begin with some bytes.</summary>
internal sealed class PrefixMatcher(ReadOnlyMemory<byte> prefix) : TermMatcher
{
    public override ReadOnlySpan<byte> Prefix => prefix.Span;

    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        return true;
    }
}
