using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Text.Json;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Queries;

/// <summary>A count that a query asks for.</summary>
/// <param name="Expressions">The member, or the ranges.</param>
/// <param name="IsOfRanges">Whether ranges are counted.</param>
/// <param name="Aggregates">What is computed of other members.</param>
/// <param name="Options">Order and page as JSON; <see langword="null"/> for none.</param>
/// <param name="Name">The name; <see langword="null"/> takes the member's path.</param>
internal sealed record FacetClause(
    IReadOnlyList<LambdaExpression> Expressions,
    bool IsOfRanges,
    IReadOnlyList<(string Function, LambdaExpression Member)> Aggregates,
    string? Options,
    string? Name
);

/// <summary>Writes counts into queries, and reads their results.</summary>
internal static class FacetReader
{
    private const string DocumentName = "it_";

    /// <summary>Adds counts to a plan.</summary>
    /// <exception cref="UnsupportedExpressionException">The query has more than conditions.</exception>
    [RequiresUnreferencedCode("Reads the members that expressions name.")]
    [RequiresDynamicCode("Evaluates the values that expressions hold.")]
    public static void Add(
        QueryPlan plan,
        IReadOnlyList<FacetClause> facets,
        DocumentStoreOptions options,
        string? idName
    )
    {
        if (
            plan.Selector is not null
            || plan.Groups.Count > 0
            || plan.Skip > 0
            || plan.Take is not null
            || plan.Includes.Count > 0
        )
        {
            throw new UnsupportedExpressionException(plan.ToString(), "only conditions may stand before AggregateBy");
        }

        plan.Orders.Clear();
        if (plan.IsEmpty)
            plan.Conditions.Add("false");
        var conditions = new Conditions(plan, options, idName, Name);
        foreach (var facet in facets)
        {
            List<string> parts =
            [
                .. facet.Expressions.Select(e => facet.IsOfRanges ? conditions.Of(e) : Name(MemberPath.Of(e, options))),
            ];
            parts.AddRange(facet.Aggregates.Select(a => $"{a.Function}({Name(MemberPath.Of(a.Member, options))})"));
            if (facet.Options is { } json)
                parts.Add(Rql.Text(json));
            plan.Facets.Add(
                $"facet({string.Join(", ", parts)}){(facet.Name is { } name ? $" as {Conditions.Quote(name)}" : "")}"
            );
        }

        // A count takes a name in quotes for a text.
        string Name(string path)
        {
            if (Rql.IsPlain(path) || !Rql.IsPath(path))
                return Conditions.Quote(path);
            plan.Alias = DocumentName;
            return $"{DocumentName}.{path}";
        }
    }

    /// <summary>A count of an answer.</summary>
    public static FacetResult Read(DocumentData data)
    {
        using var json = JsonDocument.Parse(data.Json);
        var root = json.RootElement;
        var values = new List<FacetValue>();
        foreach (var value in root.GetProperty("Values").EnumerateArray())
        {
            var (range, count) = (AnswerReader.Text(value, "Range") ?? "", value.GetProperty("Count").GetInt64());
            // The database repeats a value for each member that it computes something of.
            if (values is not [.., { Numbers: Dictionary<string, FacetNumbers> numbers } last] || last.Range != range)
            {
                values.Add(
                    new FacetValue(range, count, numbers = new Dictionary<string, FacetNumbers>(StringComparer.Ordinal))
                );
            }

            if (AnswerReader.Text(value, "Name") is { } name)
            {
                numbers[name] = new FacetNumbers(
                    Number(value, "Sum"),
                    Number(value, "Min"),
                    Number(value, "Max"),
                    Number(value, "Average")
                );
            }
        }

        return new FacetResult(
            AnswerReader.Text(root, "Name") ?? "",
            values,
            root.GetProperty("RemainingTermsCount").GetInt32(),
            root.GetProperty("RemainingHits").GetInt64()
        );
    }

    private static double? Number(JsonElement value, string name) =>
        value.TryGetProperty(name, out var number) && number.ValueKind == JsonValueKind.Number
            ? number.GetDouble()
            : null;
}
