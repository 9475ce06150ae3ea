using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Binding;

/// <summary>Ends of ranges that are open: RavenDB's clients give the parameter <c>*</c> or <c>NULL</c> where they are handed none.</summary>
internal static class OpenEnd
{
    /// <summary>Whether an end is open.</summary>
    /// <param name="expression">What stands in the query.</param>
    /// <param name="text">Its value, where that is a text.</param>
    internal static bool Is(ExpressionSyntax expression, string? text) => expression is ParameterSyntax && text is ("*" or "NULL");
}
