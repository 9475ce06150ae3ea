using System.Collections;
using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>
/// Writes a syntax tree as text without positions, from the nodes' own properties, so that the text shows the whole
/// tree.
/// </summary>
internal static class SyntaxDump
{
    private static readonly ConcurrentDictionary<Type, PropertyInfo[]> Parts = new();

    public static string Of(object? node) =>
        node switch
        {
            null => "null",
            string text => "'" + text + "'",
            double number => number.ToString("R", CultureInfo.InvariantCulture) + "d",
            FieldSyntax field => field.Path,
            ParameterSyntax parameter => "$" + parameter.Name,
            LiteralSyntax literal => Of(literal.Value),
            IEnumerable many => "[" + string.Join(", ", many.Cast<object?>().Select(Of)) + "]",
            ExpressionSyntax
            or QuerySyntax
            or FromSyntax
            or AliasedSyntax
            or OrderSyntax
            or SelectSyntax
            or FunctionSyntax
            or UpdateSyntax
            or ObjectPropertySyntax => Record(node),
            _ => Convert.ToString(node, CultureInfo.InvariantCulture)!,
        };

    private static PropertyInfo[] PartsOf(Type type) =>
        [
            .. type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Where(p => p.PropertyType != typeof(SourceSpan) && !(type == typeof(QuerySyntax) && p.Name == "Text"))
                .OrderBy(p => p.MetadataToken),
        ];

    private static string Record(object node)
    {
        var parts = Parts
            .GetOrAdd(node.GetType(), PartsOf)
            .Select(p => (p.Name, Value: p.GetValue(node)))
            .Where(p => p.Value is not (null or false or ICollection { Count: 0 }))
            .Select(p => p.Name + ":" + Of(p.Value));
        return node.GetType().Name.Replace("Syntax", "", StringComparison.Ordinal)
            + "("
            + string.Join(" ", parts)
            + ")";
    }
}
