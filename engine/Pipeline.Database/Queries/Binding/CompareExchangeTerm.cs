using Pipeline.Database.Json;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Binding;

/// <summary><c>cmpxchg(key)</c> where a condition compares with a value.</summary>
internal static class CompareExchangeTerm
{
    /// <summary>Whether an expression is one.</summary>
    internal static bool Is(ExpressionSyntax expression) => expression is CallSyntax { Target: null, Name: "cmpxchg" };

    /// <summary>Whether results may depend on such values: a word of the query says so, or another one that means something else.</summary>
    internal static bool MayBeIn(QuerySyntax query) => query.Text.Contains("cmpxchg", StringComparison.OrdinalIgnoreCase);

    /// <summary>What it stands for; null where there is no value under the key. Clients keep theirs as the property <c>Object</c> of an object.</summary>
    internal static object? Of(CompareExchangeValue? value)
    {
        if (value is null) return null;
        BinaryValue root = value.Value.Root;
        return QueryParameters.Plain(root.Kind == JsonKind.Object && root.TryGetProperty("Object"u8, out BinaryValue kept) ? kept : root, value.Key);
    }
}
