namespace Pipeline.Database.Queries.Language;

/// <summary>One word, value or sign of a query's text.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Span">The place in the text.</param>
/// <param name="Text">
/// The name of an identifier or parameter, the content of a string, the sign or number as written; empty at the end.
/// </param>
internal readonly record struct QueryToken(TokenKind Kind, SourceSpan Span, string Text)
{
    /// <summary>Whether it is this sign.</summary>
    internal bool IsSymbol(string symbol) => Kind == TokenKind.Symbol && Text == symbol;

    /// <summary>Whether it is this word, in any case.</summary>
    internal bool IsWord(string word) =>
        Kind == TokenKind.Identifier && Text.Equals(word, StringComparison.OrdinalIgnoreCase);

    /// <summary>The token as an error names it.</summary>
    internal string Describe() =>
        Kind switch
        {
            TokenKind.End => "the end of the query",
            TokenKind.String => "the string '" + Shorten(Text) + "'",
            TokenKind.Parameter => "'$" + Shorten(Text) + "'",
            _ => "'" + Shorten(Text) + "'",
        };

    private static string Shorten(string text) => text.Length <= 40 ? text : text[..40] + "…";
}

/// <summary>The kind of a token.</summary>
internal enum TokenKind
{
    End,
    Identifier,
    String,
    Number,
    Parameter,
    Symbol,
}
