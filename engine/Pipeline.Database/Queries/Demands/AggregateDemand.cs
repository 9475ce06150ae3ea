using System.Text.Json.Serialization;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Demands;

/// <summary>An aggregate that a query computes for each group.</summary>
/// <param name="Name">
/// The field of the group's entry and the property of its stored object: <c>count()</c>, <c>sum(Freight)</c>,
/// <c>max(OrderedAt)</c>.
/// </param>
/// <param name="Path">The path whose values are taken, without alias; null for the number of documents.</param>
public sealed record AggregateDemand(string Name, string? Path)
{
    /// <summary>
    /// <c>count</c> (of a path: of its numbers), <c>sum</c>, <c>min</c>, <c>max</c> or <c>avg</c>; <c>avg</c> also
    /// needs sum and count of its path.
    /// </summary>
    [JsonIgnore]
    public string Function => Name[..Name.IndexOf('(', StringComparison.Ordinal)];

    internal static AggregateDemand Of(string function, string path) => new($"{function}({path})", path);

    /// <summary>Whether a call computes something for a group.</summary>
    internal static bool IsAggregate(ExpressionSyntax expression) =>
        expression is CallSyntax { Target: null, Name: "count" or "sum" or "min" or "max" or "avg" or "average" };

    /// <summary>The name under which a group has what a call computes.</summary>
    internal static string NameOf(CallSyntax call, Func<ExpressionSyntax, string> path) =>
        call.Name == "count" ? "count()" : $"{(call.Name == "average" ? "avg" : call.Name)}({path(call.Arguments[0])})";
}
