namespace Pipeline.Client;

/// <summary>How a field of an index is indexed.</summary>
public sealed record IndexFieldOptions
{
    /// <summary>What of a text is found.</summary>
    public TextIndexing Text { get; init; }

    /// <summary>
    /// The analyzer that makes words of a text; naming one asks for <see cref="TextIndexing.Words"/>.
    /// </summary>
    public string? Analyzer { get; init; }

    /// <summary>Whether the index stores the value, so that queries return it without the document.</summary>
    public bool IsStored { get; init; }

    /// <summary>The factor of scores; 0 or more.</summary>
    public float Boost { get; init; } = 1;
}

/// <summary>What of a text is found.</summary>
public enum TextIndexing
{
    /// <summary>The whole text, without case.</summary>
    Whole,

    /// <summary>The whole text, with its case.</summary>
    Exact,

    /// <summary>Its words, by <c>Search</c>.</summary>
    Words,

    /// <summary>Nothing; the value can only be stored.</summary>
    Nothing,
}

/// <summary>An index as text.</summary>
/// <param name="Name">The name.</param>
/// <param name="Maps">The maps in C#.</param>
/// <param name="Reduce">The reduce in C#; <see langword="null"/> without one.</param>
public sealed record IndexText(string Name, IReadOnlyList<string> Maps, string? Reduce)
{
    /// <summary>The options of fields, by their names.</summary>
    public IReadOnlyDictionary<string, IndexFieldOptions> Fields { get; init; } =
        new Dictionary<string, IndexFieldOptions>();
}
