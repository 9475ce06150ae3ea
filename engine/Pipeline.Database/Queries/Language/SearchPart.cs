namespace Pipeline.Database.Queries.Language;

/// <summary>A part of the text of <c>search()</c>.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Text">The word, the words of the phrase, or the pattern.</param>
public readonly record struct SearchPart(SearchPartKind Kind, string Text);
