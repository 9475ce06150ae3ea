namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>
/// Changes the tokens of a batch: their terms in place, or which tokens there are. Stateless; what it leaves out at the end it adds to the
/// skipped positions.
/// </summary>
internal abstract class TokenFilter
{
    public abstract void Apply(TokenBuffer buffer);
}
