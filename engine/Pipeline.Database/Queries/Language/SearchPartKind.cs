namespace Pipeline.Database.Queries.Language;

/// <summary>What a part of the text of <c>search()</c> is.</summary>
public enum SearchPartKind
{
    /// <summary>A word, of which the field's analyzer may make several terms.</summary>
    Word,

    /// <summary>Words in double quotes, one after the other.</summary>
    Phrase,

    /// <summary>A pattern with <c>*</c> for any characters; what has a backslash before it is itself.</summary>
    Wildcard,
}
