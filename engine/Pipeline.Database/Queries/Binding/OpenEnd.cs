using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Open ends of ranges: for a missing bound RavenDB's clients pass the parameter <c>*</c> or <c>NULL</c>.
/// </summary>
internal static class OpenEnd
{
    /// <summary>Whether an end is open.</summary>
    /// <param name="expression">The expression in the query.</param>
    /// <param name="text">Its value, if that is a text.</param>
    internal static bool Is(ExpressionSyntax expression, string? text) =>
        expression is ParameterSyntax && text is ("*" or "NULL");
}
