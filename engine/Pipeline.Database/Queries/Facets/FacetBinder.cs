using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>Binds <c>select facet(…)</c> to the fields of an index.</summary>
internal sealed class FacetBinder(QueryContext context, QueryBinder binder)
{
    /// <summary>Whether a query selects facets.</summary>
    internal static bool IsFaceted(QuerySyntax query) => query.Select?.Items.Any(i => IsFacet(i.Expression)) == true;

    internal IReadOnlyList<FacetDefinition> Bind() => [.. context.Query.Select!.Items.SelectMany(Read).Select(Bind)];

    private static bool IsFacet(ExpressionSyntax expression) =>
        expression is CallSyntax { Target: null, Name: "facet" };

    /// <summary>
    /// The facets that an item stands for: itself, or those of the document that <c>facet(id('facets/films'))</c>
    /// names.
    /// </summary>
    private IEnumerable<AliasedSyntax> Read(AliasedSyntax item) =>
        item.Expression
            is CallSyntax
            {
                Target: null,
                Name: "facet",
                Arguments: [CallSyntax { Target: null, Name: "id", Arguments: [var id] }]
            }
            ? FacetSetup.Read(context, id)
            : [item];

    private FacetDefinition Bind(AliasedSyntax item)
    {
        if (!IsFacet(item.Expression))
            throw context.Paths.Error(item.Expression, "a query that selects facet() can select only facet()");
        if (context.Query.Filter is not null)
        {
            throw context.NotSupported(
                item.Expression,
                "facets of what 'filter' leaves are not supported",
                "write the condition into 'where'"
            );
        }

        var facet = (CallSyntax)item.Expression;
        var ranges = new List<(string, Query)>();
        var aggregates = new List<(string Name, string Field, HashSet<string> Functions)>();
        var options = FacetPaging.Default;
        ExpressionSyntax? named = null;
        foreach (var argument in facet.Arguments)
        {
            switch (argument)
            {
                case CallSyntax { Target: null, Name: "sum" or "min" or "max" or "avg" or "average" } aggregate:
                    var path = context.Paths.Of(aggregate.Arguments[0], "a field");
                    if (context.Field(aggregate.Arguments[0], path) is not { } summed)
                        break;
                    var called = aggregate.Alias ?? path;
                    var known = aggregates.FindIndex(a => a.Name == called && a.Field == summed.Name);
                    if (known < 0)
                        aggregates.Add((called, summed.Name, [NameOf(aggregate)]));
                    else
                        aggregates[known].Functions.Add(NameOf(aggregate));
                    break;
                case ComparisonSyntax or BetweenSyntax or LogicalSyntax { Operator: LogicalOperator.And }:
                    named = SameField(named, argument);
                    ranges.Add((TextOf(argument), binder.Bind(argument)));
                    break;
                case FieldSyntax or LiteralSyntax { Value: string { Length: > 0 } } when named is null:
                    named = argument;
                    break;
                case ParameterSyntax or LiteralSyntax { Value: string }:
                    options = FacetPaging.Read(new JsonOptions(context, argument));
                    break;
                default:
                    throw context.Paths.Error(
                        argument,
                        $"{argument} is not part of a facet",
                        "write facet(Category), or ranges of a field: facet(Price < 10, Price >= 10)"
                    );
            }
        }

        if (aggregates.Count > 0 && ranges.Exists(r => FacetSearch.RangeOf(r.Item1, r.Item2) is null))
        {
            throw context.NotSupported(
                facet,
                "sums over ranges of texts are not supported",
                "count them without, or use ranges of numbers"
            );
        }

        if (named is null)
            throw context.Paths.Error(facet, "a facet counts the values of a field", "write facet(Category)");
        var name = context.Paths.Of(named, "a field");
        return new FacetDefinition(item.Alias ?? name, context.Field(named, name), ranges, aggregates, options);
    }

    private static string NameOf(CallSyntax aggregate) =>
        aggregate.Name switch
        {
            "sum" => "Sum",
            "min" => "Min",
            "max" => "Max",
            _ => "Average",
        };

    private FieldSyntax SameField(ExpressionSyntax? known, ExpressionSyntax range)
    {
        var field = range switch
        {
            ComparisonSyntax { Left: FieldSyntax left } => left,
            BetweenSyntax { Operand: FieldSyntax operand } => operand,
            LogicalSyntax and => (FieldSyntax)and.Operands.Aggregate(known, SameField)!,
            _ => throw context.Paths.Error(
                range,
                "a range compares a field with values",
                "write Price >= 10 and Price < 20"
            ),
        };
        return known is not FieldSyntax first || first.Path == field.Path
            ? field
            : throw context.Paths.Error(
                range,
                $"the ranges of one facet are of one field, '{first.Path}'",
                "write another facet() for another field",
                QueryErrorKind.Meaning
            );
    }

    /// <summary>The name of a range in the result: its text, with the values of its parameters.</summary>
    private string TextOf(ExpressionSyntax range) =>
        range switch
        {
            LogicalSyntax and => string.Join(" and ", and.Operands.Select(TextOf)),
            ComparisonSyntax comparison => (
                comparison with
                {
                    Left = Bare(comparison.Left),
                    Right = Literal(comparison.Right),
                }
            ).ToString(),
            BetweenSyntax between => (
                between with
                {
                    Operand = Bare(between.Operand),
                    Low = Literal(between.Low),
                    High = Literal(between.High),
                }
            ).ToString(),
            _ => range.ToString(),
        };

    private FieldSyntax Bare(ExpressionSyntax field) =>
        new([.. context.Paths.Of(field, "a field").Split('.').Select(s => new FieldSegment(s, false))], field.Span);

    private LiteralSyntax Literal(ExpressionSyntax value) => new(context.Scalar(value), value.Span);
}
