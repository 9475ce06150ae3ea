namespace Pipeline.Database.Queries.Language;

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
