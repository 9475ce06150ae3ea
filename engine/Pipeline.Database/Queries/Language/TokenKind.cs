namespace Pipeline.Database.Queries.Language;

/// <summary>What a token is.</summary>
internal enum TokenKind
{
    End,
    Identifier,
    String,
    Number,
    Parameter,
    Symbol,
}
