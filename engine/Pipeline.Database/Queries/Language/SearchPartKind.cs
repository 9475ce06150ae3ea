namespace Pipeline.Database.Queries.Language;

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
