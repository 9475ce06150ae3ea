namespace Pipeline.Indexing;

/// <summary>No entry: what is left of a text without tokens, or of an empty list of values.</summary>
public sealed record NoneQuery : Query
{
    private NoneQuery()
    {
    }

    /// <summary>The only one.</summary>
    public static NoneQuery Instance { get; } = new();
}
