namespace Pipeline.Database.Queries.Language;

/// <summary>A part of the text of <c>search()</c>.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Text">The word, the words of the phrase, or the pattern.</param>
public readonly record struct SearchPart(SearchPartKind Kind, string Text);

/// <summary>The kind of a part of the text of <c>search()</c>.</summary>
public enum SearchPartKind
{
    /// <summary>A word, which the field's analyzer may split into several terms.</summary>
    Word,

    /// <summary>Words in double quotes, one after the other.</summary>
    Phrase,

    /// <summary>A pattern with <c>*</c> for any characters; a backslash before a character makes it literal.</summary>
    Wildcard,
}
