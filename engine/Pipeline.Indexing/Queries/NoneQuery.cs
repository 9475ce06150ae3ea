namespace Pipeline.Indexing;

/// <summary>Matches no entry: the query for a text without tokens, or for an empty list of values.</summary>
public sealed record NoneQuery : Query
{
    private NoneQuery() { }

    /// <summary>The only one.</summary>
    public static NoneQuery Instance { get; } = new();
}
