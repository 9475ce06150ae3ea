namespace Pipeline.Indexing;

/// <summary>
/// Picks terms of a sorted dictionary. It may name the next term to try, so that terms that cannot match are never
/// read. One thread at a time.
/// </summary>
internal abstract class TermMatcher
{
    /// <summary>The common prefix of all matching terms.</summary>
    public virtual ReadOnlySpan<byte> Prefix => default;

    /// <summary>Whether a term matches. Terms are given in rising order.</summary>
    /// <param name="term">The term.</param>
    /// <param name="seek">
    /// If the term does not match: the length of a beginning of it that no matching term has. The reader may skip all
    /// terms with that beginning; 0 if none is known.
    /// </param>
    /// <returns>Whether it does.</returns>
    public abstract bool Matches(ReadOnlySpan<byte> term, out int seek);
}

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

/// <summary>Terms that end with some bytes.</summary>
internal sealed class SuffixMatcher(ReadOnlyMemory<byte> suffix) : TermMatcher
{
    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        return term.EndsWith(suffix.Span);
    }
}
