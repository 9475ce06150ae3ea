namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>
/// Changes the terms of a batch of tokens in place, or drops tokens. Stateless. Tokens that it drops at the end of the
/// batch are added to the skipped positions.
/// </summary>
internal abstract class TokenFilter
{
    public abstract void Apply(TokenBuffer buffer);
}
