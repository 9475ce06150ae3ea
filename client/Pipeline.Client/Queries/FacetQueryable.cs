using System.Linq.Expressions;
using Pipeline.Client.Queries;

namespace Pipeline.Client;

/// <summary>Counts what a query finds by the values of its members.</summary>
public static class FacetQueryable
{
    /// <summary>
    /// Counts the results for each value of a member: <c>query.AggregateBy(o => o.Company, f => f.Sum(o =>
    /// o.Total))</c>.
    /// </summary>
    /// <param name="query">The query, with conditions only.</param>
    /// <param name="member">The member; of a list, each element counts.</param>
    /// <param name="options">What else is computed for each value, and which values are returned.</param>
    public static FacetQuery<T> AggregateBy<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> member,
        Action<FacetOptions<T>>? options = null
    ) => new FacetQuery<T>(query, []).AndBy(member, options);

    /// <summary>
    /// Counts the results in ranges of a member: <c>query.AggregateByRanges([o => o.Total &lt; 10, o => o.Total >=
    /// 10])</c>.
    /// </summary>
    /// <param name="query">The query, with conditions only.</param>
    /// <param name="ranges">Comparisons of the same member, joined by <c>&amp;&amp;</c>. Ranges may overlap.</param>
    /// <param name="options">What else is computed for each range.</param>
    public static FacetQuery<T> AggregateByRanges<T>(
        this IQueryable<T> query,
        IReadOnlyList<Expression<Func<T, bool>>> ranges,
        Action<FacetOptions<T>>? options = null
    ) => new FacetQuery<T>(query, []).AndByRanges(ranges, options);
}

/// <summary>One or more counts of a query. Immutable; it runs with <see cref="ToResultsAsync"/>.</summary>
public sealed class FacetQuery<T>
{
    private readonly IDocumentQuery<T> _query;
    private readonly IReadOnlyList<FacetClause> _facets;

    internal FacetQuery(IQueryable<T> query, IReadOnlyList<FacetClause> facets)
        : this(DocumentQueryable.Of(query), facets) { }

    private FacetQuery(IDocumentQuery<T> query, IReadOnlyList<FacetClause> facets) =>
        (_query, _facets) = (query, facets);

    /// <summary>Counts the values of another member, too.</summary>
    public FacetQuery<T> AndBy(Expression<Func<T, object?>> member, Action<FacetOptions<T>>? options = null)
    {
        ArgumentNullException.ThrowIfNull(member);
        return With([member], isOfRanges: false, options);
    }

    /// <summary>Counts other ranges, too.</summary>
    public FacetQuery<T> AndByRanges(
        IReadOnlyList<Expression<Func<T, bool>>> ranges,
        Action<FacetOptions<T>>? options = null
    )
    {
        ArgumentNullException.ThrowIfNull(ranges);
        ArgumentOutOfRangeException.ThrowIfZero(ranges.Count, nameof(ranges));
        return With([.. ranges], isOfRanges: true, options);
    }

    /// <summary>The text of the query.</summary>
    public string ToQueryString() => _query.ToFacetString(_facets);

    /// <summary>The counts, in the order in which they were asked for.</summary>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    public ValueTask<FacetResults> ToResultsAsync(CancellationToken cancellationToken = default) =>
        _query.ToFacetsAsync(_facets, cancellationToken);

    private FacetQuery<T> With(
        IReadOnlyList<LambdaExpression> expressions,
        bool isOfRanges,
        Action<FacetOptions<T>>? configure
    )
    {
        var options = new FacetOptions<T>();
        configure?.Invoke(options);
        return new FacetQuery<T>(
            _query,
            [.. _facets, new FacetClause(expressions, isOfRanges, options.Aggregates, options.Json, options.Name)]
        );
    }
}

/// <summary>What a count computes for each value, and which values it returns.</summary>
public sealed class FacetOptions<T>
{
    private string? _order;
    private int _skip;
    private int? _take;

    internal FacetOptions() { }

    internal List<(string Function, LambdaExpression Member)> Aggregates { get; } = [];

    internal string? Name { get; private set; }

    internal string? Json =>
        _order is null && _skip == 0 && _take is null
            ? null
            : string.Create(
                System.Globalization.CultureInfo.InvariantCulture,
                $"{{\"TermSortMode\":\"{_order ?? "ValueAsc"}\"{(_skip > 0 ? $",\"Start\":{_skip}" : "")}{(_take is { } take ? $",\"PageSize\":{take}" : "")}}}"
            );

    /// <summary>Adds a member up.</summary>
    public FacetOptions<T> Sum(Expression<Func<T, object?>> member) => With("sum", member);

    /// <summary>Finds the least value of a member.</summary>
    public FacetOptions<T> Min(Expression<Func<T, object?>> member) => With("min", member);

    /// <summary>Finds the greatest value of a member.</summary>
    public FacetOptions<T> Max(Expression<Func<T, object?>> member) => With("max", member);

    /// <summary>Computes the average of a member.</summary>
    public FacetOptions<T> Average(Expression<Func<T, object?>> member) => With("avg", member);

    /// <summary>Names the count, where two have the same member.</summary>
    public FacetOptions<T> As(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
        return this;
    }

    /// <summary>Returns the values in descending order; without it, they ascend.</summary>
    public FacetOptions<T> OrderByValueDescending() => By("ValueDesc");

    /// <summary>Returns the values with the least counts first.</summary>
    public FacetOptions<T> OrderByCount() => By("CountAsc");

    /// <summary>Returns the values with the greatest counts first.</summary>
    public FacetOptions<T> OrderByCountDescending() => By("CountDesc");

    /// <summary>Leaves values out at the beginning.</summary>
    public FacetOptions<T> Skip(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        _skip = count;
        return this;
    }

    /// <summary>Limits the number of values.</summary>
    public FacetOptions<T> Take(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        _take = count;
        return this;
    }

    private FacetOptions<T> By(string order)
    {
        _order = order;
        return this;
    }

    private FacetOptions<T> With(string function, LambdaExpression member)
    {
        ArgumentNullException.ThrowIfNull(member);
        Aggregates.Add((function, member));
        return this;
    }
}
