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

/// <summary>How the similarity of two words is measured, from 0 to 1. All count code points.</summary>
public enum SuggestionDistance
{
    /// <summary>1 - edits / length of the longer word; an edit puts in, leaves out or replaces one character.</summary>
    Levenshtein,

    /// <summary>
    /// Jaro's measure of characters in common and their order; above 0.7 raised by Winkler's bonus for a common
    /// beginning. Good for names.
    /// </summary>
    JaroWinkler,

    /// <summary>
    /// Edits of pairs of characters, which may half agree (G. Kondrak, "N-Gram Similarity and Distance", SPIRE 2005,
    /// with n = 2).
    /// </summary>
    NGram,
}

/// <summary>The order of suggestions.</summary>
public enum SuggestionSortMode
{
    /// <summary>Those in most entries first; among equals the more similar.</summary>
    Popularity,

    /// <summary>The most similar first; among equals those in most entries.</summary>
    None,
}

/// <summary>A term that is suggested for a word.</summary>
/// <param name="Term">The term.</param>
/// <param name="Similarity">Its similarity with the word, from 0 to 1.</param>
/// <param name="Popularity">How many entries have it.</param>
public readonly record struct Suggestion(string Term, float Similarity, int Popularity);
