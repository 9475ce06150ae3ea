namespace Pipeline.Indexing;

/// <summary>Every entry, with the score 1.</summary>
public sealed record AllQuery : Query
{
    private AllQuery() { }

    /// <summary>The only one.</summary>
    public static AllQuery Instance { get; } = new();
}
