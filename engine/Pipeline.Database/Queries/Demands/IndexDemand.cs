using System.Text.Json.Serialization;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Demands;

/// <summary>The demands of a query on an index: which index, or the fields from which one can be made.</summary>
/// <remarks>
/// An automatic index has each field of the demand under a name from <see cref="IndexFieldNames"/>. The usage decides
/// the form: <see cref="FieldUsage.Exact"/>
/// stores the unchanged values; <see cref="FieldUsage.Search"/>, <see cref="FieldUsage.Suggest"/> and
/// <see cref="FieldUsage.Highlight"/> store the words;
/// <see cref="FieldUsage.Spatial"/> stores places; all others store the values without case. An index that groups has
/// an entry for each group, whose stored object has the keys by their paths and the aggregates by their names.
/// </remarks>
public sealed record IndexDemand
{
    /// <summary>The index that the query names; null if it names a collection.</summary>
    public string? IndexName { get; init; }

    /// <summary>The collection; null for an index, and for all documents.</summary>
    public string? Collection { get; init; }

    /// <summary>The fields, each once, in the order of first use.</summary>
    public IReadOnlyList<FieldDemand> Fields { get; init; } = [];

    /// <summary>The keys by which the query groups; empty if it does not group.</summary>
    public IReadOnlyList<GroupKeyDemand> GroupBy { get; init; } = [];

    /// <summary>The aggregates to compute for each group.</summary>
    public IReadOnlyList<AggregateDemand> Aggregates { get; init; } = [];

    /// <summary>
    /// Whether the documents themselves answer the query: nothing is looked up but ids, and there is no order but by
    /// id.
    /// </summary>
    public bool NeedsNoIndex { get; init; }
}

/// <summary>A field that a query needs in an index.</summary>
/// <param name="Path">
/// The path in the document without alias (<c>ShipTo.City</c>, <c>Lines[].Product</c>) or an aggregate (<c>count()</c>,
/// <c>sum(Freight)</c>). For a spatial field that the query makes from other fields, its canonical text
/// (<c>spatial.point(Lat, Lon)</c>).
/// </param>
/// <param name="Usage">How the query uses the field.</param>
public sealed record FieldDemand(string Path, FieldUsage Usage)
{
    /// <summary>The source of the place; null for a field that exists under its name.</summary>
    public SpatialSource? Spatial { get; init; }
}

/// <summary>How a query uses a field of an index.</summary>
[Flags]
public enum FieldUsage
{
    /// <summary>For nothing.</summary>
    None = 0,

    /// <summary>
    /// Its values are compared without case: =, &lt;, in, between, startsWith, endsWith, regex, exists.
    /// </summary>
    Compare = 1,

    /// <summary>Its values are compared with their case: <c>exact()</c>.</summary>
    Exact = 2,

    /// <summary>
    /// Its words are searched: <c>search()</c>, <c>lucene()</c>, <c>proximity()</c>, <c>moreLikeThis()</c>.
    /// </summary>
    Search = 4,

    /// <summary>Results are ordered by it as texts.</summary>
    OrderText = 8,

    /// <summary>Results are ordered by it as numbers.</summary>
    OrderNumber = 16,

    /// <summary>Results are ordered by it as texts whose digits count as numbers.</summary>
    OrderAlphaNumeric = 32,

    /// <summary>Its values are counted: <c>facet()</c>.</summary>
    Facet = 64,

    /// <summary>It is a place: <c>spatial.…</c>.</summary>
    Spatial = 128,

    /// <summary>Its terms are offered: <c>suggest()</c>.</summary>
    Suggest = 256,

    /// <summary>Fragments of its text are shown with the matches marked: <c>highlight()</c>.</summary>
    Highlight = 512,
}

/// <summary>A key by which a query groups.</summary>
/// <param name="Path">The path in the document, without alias.</param>
/// <param name="IsWholeArray">
/// Whether all values of the path together are one key: <c>array(Lines[].Product)</c>.
/// </param>
public sealed record GroupKeyDemand(string Path, bool IsWholeArray);

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

/// <summary>The source of a spatial field's place: two paths, or one path to a text in WKT.</summary>
/// <param name="LatitudePath">The path to the latitude; null if <paramref name="WktPath"/> is given.</param>
/// <param name="LongitudePath">The path to the longitude; null if <paramref name="WktPath"/> is given.</param>
/// <param name="WktPath">The path to the text; null if the other two are given.</param>
public sealed record SpatialSource(string? LatitudePath, string? LongitudePath, string? WktPath);
