using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Pipeline.Client.Queries;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>A query that LINQ's methods are applied to. It runs when its results are asked for.</summary>
internal sealed class DocumentQuery<T> : IOrderedQueryable<T>, IDocumentQuery<T>
{
    private readonly QueryProvider _provider;

    public DocumentQuery(QueryProvider provider) => (_provider, Expression) = (provider, Expression.Constant(this));

    public DocumentQuery(QueryProvider provider, Expression expression) =>
        (_provider, Expression) = (provider, expression);

    public Type ElementType => typeof(T);

    public Expression Expression { get; }

    public IQueryProvider Provider => _provider;

    public IEnumerator<T> GetEnumerator() =>
        throw new NotSupportedException("a query is asynchronous; call ToListAsync(), or read it with 'await foreach'");

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => Plan().ToString();

    public string ToQueryString() => Plan().ToString();

    public async ValueTask<QueryResults<T>> ToResultsAsync(int? take, CancellationToken cancellationToken)
    {
        var plan = Plan();
        if (take is { } most)
            plan.Take = Math.Min(plan.Take ?? int.MaxValue, most);
        if (plan.IsEmpty || plan.Take == 0)
        {
            return new QueryResults<T>(
                [],
                new QueryStatistics("", await CountAsync(isPage: false, cancellationToken).ConfigureAwait(false), false)
            );
        }

        var answer = await _provider.Session.QueryAsync(plan.ToQuery(), cancellationToken).ConfigureAwait(false);
        var read = _provider.Reader<T>(plan);
        return new QueryResults<T>([.. answer.Items.Select(read)], answer.Statistics);
    }

    public ValueTask<long> CountAsync(CancellationToken cancellationToken) =>
        CountAsync(isPage: true, cancellationToken);

    public async IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        var plan = Plan();
        if (plan.IsEmpty || plan.Take == 0)
            yield break;
        var read = _provider.Reader<T>(plan, isTracked: false);
        await foreach (
            var item in _provider.Session.StreamAsync(plan.ToQuery(), cancellationToken).ConfigureAwait(false)
        )
        {
            yield return read(item);
        }
    }

    /// <summary>The query, to be sent with others.</summary>
    internal LazyQuery<T> ToLazy(DocumentSession asking)
    {
        asking.CheckIs(_provider.Session);
        var plan = Plan();
        return new LazyQuery<T>(asking, plan.IsEmpty ? null : plan.ToQuery(), _provider.Reader<T>(plan));
    }

    /// <summary>Counts the results of the page, or those of all pages.</summary>
    private async ValueTask<long> CountAsync(bool isPage, CancellationToken cancellationToken)
    {
        var plan = Plan();
        if (plan.IsEmpty)
            return 0;
        var (skip, take) = (plan.Skip, plan.Take);
        (plan.Skip, plan.Take) = (0, plan.IsDistinct ? null : 0);
        if (!plan.IsDistinct && plan.Groups.Count == 0)
            plan.Fields.Clear();
        plan.Orders.Clear();
        plan.Includes.Clear();
        var answer = await _provider.Session.QueryAsync(plan.ToQuery(), cancellationToken).ConfigureAwait(false);
        var total = plan.IsDistinct ? answer.Items.Count : answer.Statistics.Total;
        return isPage ? Math.Min(take ?? long.MaxValue, Math.Max(0, total - skip)) : total;
    }

    public string ToFacetString(IReadOnlyList<FacetClause> facets) => _provider.Plan(Expression, facets).ToString();

    public async ValueTask<FacetResults> ToFacetsAsync(
        IReadOnlyList<FacetClause> facets,
        CancellationToken cancellationToken
    )
    {
        var answer = await _provider
            .Session.QueryAsync(_provider.Plan(Expression, facets).ToQuery(), cancellationToken)
            .ConfigureAwait(false);
        return new FacetResults([.. answer.Items.Select(FacetReader.Read)], answer.Statistics);
    }

    private QueryPlan Plan() => _provider.Plan(Expression);
}

/// <summary>Makes queries of a session.</summary>
[RequiresUnreferencedCode("A query reads the members that its expressions name.")]
[RequiresDynamicCode("A query compiles what its results are made of.")]
internal sealed class QueryProvider(DocumentSession session, Type documentType, string? index) : IQueryProvider
{
    /// <summary>The session.</summary>
    public DocumentSession Session { get; } = session;

    /// <summary>The class of the documents.</summary>
    public Type DocumentType { get; } = documentType;

    /// <summary>The index; <see langword="null"/> for the class's collection.</summary>
    public string? Index { get; } = index;

    public IQueryable<TElement> CreateQuery<TElement>(Expression expression) =>
        new DocumentQuery<TElement>(this, expression);

    public IQueryable CreateQuery(Expression expression) =>
        throw new NotSupportedException("a query needs the type of its elements");

    public object? Execute(Expression expression) => throw Synchronous(expression);

    public TResult Execute<TResult>(Expression expression) => throw Synchronous(expression);

    /// <summary>Reads an expression.</summary>
    public QueryPlan Plan(Expression expression) => QueryReader.Read(expression, DocumentType, Index, Session.Store);

    /// <summary>The plan of a query that returns counts.</summary>
    public QueryPlan Plan(Expression expression, IReadOnlyList<FacetClause> facets)
    {
        var plan = Plan(expression);
        FacetReader.Add(plan, facets, Session.Store.Options, Session.Store.ModelOf(DocumentType).IdName);
        return plan;
    }

    /// <summary>What makes a result of the database's.</summary>
    public Func<DocumentData, T> Reader<T>(QueryPlan plan, bool isTracked = true)
    {
        if (plan.Selector is null)
            return isTracked ? Session.Materialize<T> : data => (T)Session.Read(data, typeof(T));
        if (plan.Fields.Count == 0)
        {
            var select = (Func<object, T>)Whole<T>(plan.Selector).Compile();
            return data => select(Session.Read(data, plan.DocumentType));
        }

        var make = (Func<Row, T>)plan.Selector.Compile();
        return data =>
        {
            using var json = JsonDocument.Parse(data.Json);
            return make(new Row(json.RootElement, Session.Store.Options.Serializer));
        };
    }

    private static Expression<Func<object, T>> Whole<T>(LambdaExpression selector)
    {
        var document = Expression.Parameter(typeof(object), "document");
        return Expression.Lambda<Func<object, T>>(
            Expression.Invoke(selector, Expression.Convert(document, selector.Parameters[0].Type)),
            document
        );
    }

    private static NotSupportedException Synchronous(Expression expression) =>
        new($"a query is asynchronous: call {(expression as MethodCallExpression)?.Method.Name ?? "ToList"}Async()");
}

/// <summary>A query in RQL.</summary>
internal sealed class RawQuery<T>(
    DocumentSession session,
    string text,
    IReadOnlyList<object?> parameters,
    TimeSpan? wait = null
) : IRawQuery<T>
    where T : class
{
    public IRawQuery<T> WaitForNonStaleResults(TimeSpan? timeout = null) =>
        new RawQuery<T>(session, text, parameters, DocumentQueryable.CheckWait(timeout));

    public async ValueTask<QueryResults<T>> ToResultsAsync(CancellationToken cancellationToken = default)
    {
        var answer = await session.QueryAsync(Query(), cancellationToken).ConfigureAwait(false);
        return new QueryResults<T>([.. answer.Items.Select(session.Materialize<T>)], answer.Statistics);
    }

    public async IAsyncEnumerable<T> StreamAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var item in session.StreamAsync(Query(), cancellationToken).ConfigureAwait(false))
            yield return (T)session.Read(item, typeof(T));
    }

    internal LazyQuery<T> ToLazy(DocumentSession asking)
    {
        asking.CheckIs(session);
        return new LazyQuery<T>(asking, Query(), session.Materialize<T>);
    }

    private RqlQuery Query()
    {
        var query = QueryPlan.QueryOf(text, parameters);
        return wait is { } longest ? query with { Wait = longest, WaitsForAll = true } : query;
    }
}
