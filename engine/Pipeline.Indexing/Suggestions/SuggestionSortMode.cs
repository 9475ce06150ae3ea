namespace Pipeline.Indexing.Suggestions;

/// <summary>The order of suggestions.</summary>
public enum SuggestionSortMode
{
    /// <summary>Those in most entries first; among equals the more similar.</summary>
    Popularity,

    /// <summary>The most similar first; among equals those in most entries.</summary>
    None,
}
