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
