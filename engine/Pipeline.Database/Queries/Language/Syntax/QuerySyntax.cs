namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A whole query. Immutable and thread-safe.</summary>
/// <param name="Text">The text it was read from, which every <see cref="SourceSpan"/> in it refers to.</param>
/// <param name="From">The source that the query reads.</param>
public sealed record QuerySyntax(string Text, FromSyntax From)
{
    /// <summary>The declared functions, in order.</summary>
    public IReadOnlyList<FunctionSyntax> Functions { get; init; } = [];

    /// <summary>The keys of the groups; empty without grouping.</summary>
    public IReadOnlyList<AliasedSyntax> GroupBy { get; init; } = [];

    /// <summary>The condition; null for everything.</summary>
    public ExpressionSyntax? Where { get; init; }

    /// <summary>The orders, the first one first.</summary>
    public IReadOnlyList<OrderSyntax> OrderBy { get; init; } = [];

    /// <summary>The documents that are loaded for each result, each under an alias.</summary>
    public IReadOnlyList<AliasedSyntax> Load { get; init; } = [];

    /// <summary>A condition that is tried on each found document, without an index.</summary>
    public ExpressionSyntax? Filter { get; init; }

    /// <summary>The script of a patch by query; null if the query only reads.</summary>
    public UpdateSyntax? Update { get; init; }

    /// <summary>The content of each result; null for whole documents.</summary>
    public SelectSyntax? Select { get; init; }

    /// <summary>Paths to documents that are included, and functions such as <c>timings()</c>.</summary>
    public IReadOnlyList<ExpressionSyntax> Include { get; init; } = [];

    /// <summary>How many results are passed over; a number or parameter.</summary>
    public ExpressionSyntax? Offset { get; init; }

    /// <summary>The largest number of results; a number or parameter.</summary>
    public ExpressionSyntax? Limit { get; init; }

    /// <summary>The largest number of documents that the filter examines; a number or parameter.</summary>
    public ExpressionSyntax? FilterLimit { get; init; }

    /// <summary>The canonical text, as <see cref="QueryPrinter"/> writes it.</summary>
    /// <returns>A new string.</returns>
    public override string ToString() => QueryPrinter.Print(this);
}

/// <summary><c>declare function name(a, b) { … }</c>.</summary>
/// <param name="Name">The name.</param>
/// <param name="Parameters">The names of its parameters.</param>
/// <param name="Body">The unchanged JavaScript text between the braces.</param>
/// <param name="Span">The place in the text.</param>
public sealed record FunctionSyntax(string Name, IReadOnlyList<string> Parameters, string Body, SourceSpan Span)
{
    /// <summary>The function as JavaScript declares it.</summary>
    public string ToScript() => $"function {Name}({string.Join(", ", Parameters)}) {{{Body}}}";
}

/// <summary><c>from Orders as o</c>.</summary>
/// <param name="Kind">The kind of source.</param>
/// <param name="Name">The collection's or index's name; <c>@all_docs</c> for all documents.</param>
/// <param name="Alias">The name for a document in the rest of the query; null if there is none.</param>
/// <param name="Span">Where the name stands.</param>
public sealed record FromSyntax(FromKind Kind, string Name, string? Alias, SourceSpan Span)
{
    /// <summary>
    /// Whether every version is read, each with the one before: <c>from Orders (Revisions = true)</c>.
    /// </summary>
    public bool Revisions { get; init; }
}

/// <summary>The kind of source that a query reads.</summary>
public enum FromKind
{
    /// <summary>The documents of a collection.</summary>
    Collection,

    /// <summary>An index.</summary>
    Index,

    /// <summary>All documents: <c>@all_docs</c>.</summary>
    AllDocuments,
}

/// <summary>An element of an array, or a property by a computed name: <c>Lines[0]</c>.</summary>
/// <param name="Target">The array or object.</param>
/// <param name="Index">The number or name.</param>
/// <param name="Span">The place in the text.</param>
public sealed record IndexSyntax(ExpressionSyntax Target, ExpressionSyntax Index, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Target, Index);
}

/// <summary>A value with a name: an item of <c>select</c>, <c>load</c> or <c>group by</c>.</summary>
/// <param name="Expression">The value.</param>
/// <param name="Alias">The name after <c>as</c>; null if there is none.</param>
/// <param name="IsArrayAlias">Whether <c>[]</c> follows the name, which then stands for all loaded documents.</param>
public sealed record AliasedSyntax(ExpressionSyntax Expression, string? Alias, bool IsArrayAlias);

/// <summary>One sort key of the results.</summary>
/// <param name="Expression">
/// A field, or <c>score()</c>, <c>random()</c>, <c>spatial.distance()</c>, an aggregate.
/// </param>
/// <param name="Type">How the values are compared.</param>
/// <param name="IsDescending">Whether the greatest comes first.</param>
public sealed record OrderSyntax(ExpressionSyntax Expression, OrderType Type, bool IsDescending);

/// <summary>How values are compared for sorting.</summary>
public enum OrderType
{
    /// <summary>Nothing was said.</summary>
    Unspecified,

    /// <summary>As texts.</summary>
    String,

    /// <summary>As integers.</summary>
    Long,

    /// <summary>As numbers with a fraction.</summary>
    Double,

    /// <summary>As texts whose digits count as numbers: <c>a2</c> before <c>a10</c>.</summary>
    AlphaNumeric,
}

/// <summary>The content of each result of a query.</summary>
/// <param name="IsDistinct">Whether equal results are returned once.</param>
/// <param name="Items">The selected items; one <see cref="ObjectSyntax"/> without alias is the whole result.</param>
/// <param name="Span">The place in the text.</param>
public sealed record SelectSyntax(bool IsDistinct, IReadOnlyList<AliasedSyntax> Items, SourceSpan Span)
{
    /// <summary>
    /// An object in JavaScript, braces included, that is more than the expressions of the query language; there are no
    /// items then.
    /// </summary>
    internal string? Script { get; init; }

    /// <summary>Why <see cref="Script"/> is no object of the query language.</summary>
    internal InvalidQueryException? Refusal { get; init; }
}

/// <summary><c>update { … }</c>: the script to run on each document of the result.</summary>
/// <param name="Body">The unchanged script between the braces.</param>
/// <param name="Span">The place in the text.</param>
public sealed record UpdateSyntax(string Body, SourceSpan Span);
