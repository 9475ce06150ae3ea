using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;

namespace Pipeline.Database.Queries.Binding;

/// <summary><c>cmpxchg(key)</c> where a condition compares with a value.</summary>
internal static class CompareExchangeTerm
{
    /// <summary>Whether an expression is one.</summary>
    internal static bool Is(ExpressionSyntax expression) => expression is CallSyntax { Target: null, Name: "cmpxchg" };

    /// <summary>
    /// Whether results may depend on such values: a word of the query says so, or another one that means something
    /// else.
    /// </summary>
    internal static bool MayBeIn(QuerySyntax query) =>
        query.Text.Contains("cmpxchg", StringComparison.OrdinalIgnoreCase);

    /// <summary>The value as a query parameter; null if there is no value under the key.</summary>
    internal static object? Of(CompareExchangeValue? value) =>
        value is null ? null : QueryParameters.Plain(value.Content, value.Key);
}
