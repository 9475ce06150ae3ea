namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>How a term is meant.</summary>
public enum LuceneTermKind
{
    /// <summary>The word itself.</summary>
    Word,

    /// <summary>
    /// A pattern with <c>*</c> for any characters and <c>?</c> for one; either, and the backslash, is itself behind a
    /// backslash.
    /// </summary>
    Wildcard,

    /// <summary>Words that are like it: <c>word~</c>.</summary>
    Fuzzy,

    /// <summary>A regular expression: <c>/…/</c>.</summary>
    Regex,
}
