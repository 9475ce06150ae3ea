namespace Pipeline.Indexing.Suggestions;

/// <summary>Which terms are suggested for a word. The defaults are RavenDB's.</summary>
public sealed record SuggestionOptions
{
    /// <summary>The most suggestions that may be asked for.</summary>
    public const int MaxPageSize = 1024;

    /// <summary>How similarity is measured.</summary>
    public SuggestionDistance Distance { get; init; } = SuggestionDistance.Levenshtein;

    /// <summary>The least similarity, from 0 to 1.</summary>
    public float Accuracy { get; init; } = 0.5f;

    /// <summary>The most suggestions for a word: the most similar ones, whatever the order.</summary>
    public int PageSize { get; init; } = 15;

    /// <summary>Their order.</summary>
    public SuggestionSortMode SortMode { get; init; } = SuggestionSortMode.Popularity;

    /// <summary>
    /// The most terms that are compared one by one, where terms within two edits do not fill the page. Default 100,000.
    /// </summary>
    public int MaxTerms { get; init; } = 100_000;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(MaxTerms);
        ArgumentOutOfRangeException.ThrowIfLessThan(PageSize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(PageSize, MaxPageSize);
        if (!(Accuracy is >= 0 and <= 1))
            throw new ArgumentOutOfRangeException(nameof(Accuracy), Accuracy, "Accuracy is between 0 and 1.");
    }
}
