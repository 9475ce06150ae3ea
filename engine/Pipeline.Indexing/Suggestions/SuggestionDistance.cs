namespace Pipeline.Indexing.Suggestions;

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
