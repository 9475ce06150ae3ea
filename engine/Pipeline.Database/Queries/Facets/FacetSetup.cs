using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Json;

namespace Pipeline.Database.Queries.Facets;

/// <summary>
/// Facets that stand in a document, in the form of RavenDB's clients: <c>{ Facets: [{ FieldName, DisplayFieldName,
/// Options, Aggregations }], RangeFacets: [{ Ranges: ["Price &lt; 10"], … }] }</c>, the names in any case. Each is read
/// as what could be written in the query itself.
/// </summary>
internal static class FacetSetup
{
    private static readonly string[] Functions = ["sum", "min", "max", "average", "avg"];

    /// <exception cref="InvalidQueryException">There is no such document, or it defines no facets.</exception>
    internal static IEnumerable<AliasedSyntax> Read(QueryContext context, ExpressionSyntax at)
    {
        var id = context.Text(at, "the id of the document with the facets");
        var document =
            context.Load(id)
            ?? throw context.Paths.Error(
                at,
                $"there is no document '{id}' that defines facets",
                null,
                QueryErrorKind.Meaning
            );
        InvalidQueryException Wrong(string what) =>
            context.Paths.Error(
                at,
                $"the document '{id}' defines facets, and {what}",
                "its form is { Facets: [{ FieldName: 'Category' }] }",
                QueryErrorKind.Meaning
            );

        var root = document.Body.Root;
        var facets = new List<AliasedSyntax>();
        foreach (var facet in Find(root, "Facets").EnumerateArray())
        {
            if (
                Find(facet, "FieldName") is not { Kind: JsonKind.String } name
                || name.GetString() is not { Length: > 0 } field
            )
            {
                throw Wrong("one of its 'Facets' has no 'FieldName'");
            }

            facets.Add(Facet(facet, [new LiteralSyntax(field, at.Span)], at.Span, Wrong));
        }

        foreach (var facet in Find(root, "RangeFacets").EnumerateArray())
        {
            var ranges = new List<ExpressionSyntax>();
            foreach (var range in Find(facet, "Ranges").EnumerateArray())
            {
                ranges.Add(
                    range.Kind == JsonKind.String
                        ? QueryParser.ParseCondition(range.GetString()!)
                        : throw Wrong("a range is no text")
                );
            }

            if (ranges.Count == 0)
                throw Wrong("one of its 'RangeFacets' has no 'Ranges'");
            facets.Add(Facet(facet, ranges, at.Span, Wrong));
        }

        return facets.Count > 0 ? facets : throw Wrong("it has none");
    }

    private static AliasedSyntax Facet(
        BinaryValue facet,
        List<ExpressionSyntax> arguments,
        SourceSpan span,
        Func<string, InvalidQueryException> wrong
    )
    {
        foreach (var aggregation in Find(facet, "Aggregations").EnumerateObject())
        {
            var function =
                Functions.FirstOrDefault(f => f.Equals(aggregation.Name, StringComparison.OrdinalIgnoreCase))
                ?? throw wrong($"there is no aggregation '{aggregation.Name}'");
            foreach (var field in Fields(aggregation.Value))
            {
                arguments.Add(
                    new CallSyntax(
                        null,
                        function,
                        [new FieldSyntax([.. field.Split('.').Select(s => new FieldSegment(s, false))], span)],
                        span
                    )
                );
            }
        }

        // What FacetBinder takes for options is a text that comes after the field.
        if (Find(facet, "Options") is { Kind: JsonKind.Object } options)
            arguments.Add(new LiteralSyntax(options.ToString(), span));
        var display = Find(facet, "DisplayFieldName") is { Kind: JsonKind.String } shown ? shown.GetString() : null;
        return new AliasedSyntax(
            new CallSyntax(null, "facet", arguments, span),
            string.IsNullOrEmpty(display) ? null : display,
            false
        );
    }

    /// <summary>The fields of an aggregation: a name, an object with one, or a list of these.</summary>
    private static List<string> Fields(BinaryValue value)
    {
        if (value.Kind == JsonKind.String)
            return [value.GetString()!];
        if (value.Kind == JsonKind.Object)
            return Find(value, "Name") is { Kind: JsonKind.String } name ? [name.GetString()!] : [];
        var fields = new List<string>();
        foreach (var element in value.EnumerateArray())
            fields.AddRange(Fields(element));
        return fields;
    }

    private static BinaryValue Find(BinaryValue value, string name)
    {
        foreach (var property in value.EnumerateObject())
        {
            if (name.Equals(property.Name, StringComparison.OrdinalIgnoreCase))
                return property.Value;
        }

        return default;
    }
}
