using System.Linq.Expressions;
using System.Reflection;
using Pipeline.Client.Queries;

namespace Pipeline.Client;

/// <summary>A query's methods in addition to LINQ's. Those with <c>Async</c> run it.</summary>
public static class DocumentQueryable
{
    private static readonly TimeSpan DefaultWait = TimeSpan.FromSeconds(15);

    /// <summary>Keeps documents with one of the words in a text.</summary>
    /// <param name="query">The query.</param>
    /// <param name="member">The text.</param>
    /// <param name="words">Words, phrases in quotes, and <c>*</c> for any ending.</param>
    public static IQueryable<T> Search<T>(
        this IQueryable<T> query,
        Expression<Func<T, string?>> member,
        string words
    ) =>
        With(
            query,
            new Func<IQueryable<T>, Expression<Func<T, string?>>, string, IQueryable<T>>(Search).Method,
            Expression.Quote(member),
            Expression.Constant(words)
        );

    /// <summary>
    /// Returns the documents that a member refers to together with the results; the session then loads them without a
    /// request.
    /// </summary>
    public static IQueryable<T> Include<T>(this IQueryable<T> query, Expression<Func<T, object?>> path) =>
        With(
            query,
            new Func<IQueryable<T>, Expression<Func<T, object?>>, IQueryable<T>>(Include).Method,
            Expression.Quote(path)
        );

    /// <summary>
    /// Waits until the index has all changes that the database had when the query arrived, including those of other
    /// clients.
    /// </summary>
    /// <param name="query">The query.</param>
    /// <param name="timeout">
    /// The longest wait, above zero; 15 s by default. After it, the query returns stale results and sets
    /// <see cref="QueryStatistics.IsStale"/>.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not above zero.</exception>
    public static IQueryable<T> WaitForNonStaleResults<T>(this IQueryable<T> query, TimeSpan? timeout = null)
    {
        return With(
            query,
            new Func<IQueryable<T>, TimeSpan?, IQueryable<T>>(WaitForNonStaleResults).Method,
            Expression.Constant(CheckWait(timeout), typeof(TimeSpan?))
        );
    }

    /// <summary>The wait of a query, or the default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not above zero.</exception>
    internal static TimeSpan CheckWait(TimeSpan? timeout)
    {
        var longest = timeout ?? DefaultWait;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero, nameof(timeout));
        return longest;
    }

    /// <summary>Whether a value is one of several; for the conditions of queries.</summary>
    public static bool In<T>(this T value, params T[] values) => Array.IndexOf(values, value) >= 0;

    /// <summary>The text of the query.</summary>
    public static string ToQueryString<T>(this IQueryable<T> query) => Of(query).ToQueryString();

    /// <summary>The results one by one, in constant memory. The session does not track them.</summary>
    public static IAsyncEnumerable<T> AsAsyncEnumerable<T>(this IQueryable<T> query) => Of(query);

    /// <summary>The results, their total number, and whether the index was behind.</summary>
    public static ValueTask<QueryResults<T>> ToResultsAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => Of(query).ToResultsAsync(null, cancellationToken);

    /// <summary>The results.</summary>
    public static async ValueTask<List<T>> ToListAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => [.. (await Of(query).ToResultsAsync(null, cancellationToken).ConfigureAwait(false)).Items];

    /// <summary>The results.</summary>
    public static async ValueTask<T[]> ToArrayAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => [.. (await Of(query).ToResultsAsync(null, cancellationToken).ConfigureAwait(false)).Items];

    /// <summary>The results by their keys.</summary>
    /// <param name="query">The query.</param>
    /// <param name="key">The key of a result; it runs here, so it can be anything.</param>
    /// <param name="cancellationToken">Cancels the query.</param>
    /// <exception cref="ArgumentException">Two results have the same key.</exception>
    public static async ValueTask<Dictionary<TKey, T>> ToDictionaryAsync<T, TKey>(
        this IQueryable<T> query,
        Func<T, TKey> key,
        CancellationToken cancellationToken = default
    )
        where TKey : notnull =>
        (await Of(query).ToResultsAsync(null, cancellationToken).ConfigureAwait(false)).Items.ToDictionary(key);

    /// <summary>A value of each result by its key.</summary>
    /// <param name="query">The query.</param>
    /// <param name="key">The key of a result; it runs here, so it can be anything.</param>
    /// <param name="value">The value of a result; it runs here, too.</param>
    /// <param name="cancellationToken">Cancels the query.</param>
    /// <exception cref="ArgumentException">Two results have the same key.</exception>
    public static async ValueTask<Dictionary<TKey, TValue>> ToDictionaryAsync<T, TKey, TValue>(
        this IQueryable<T> query,
        Func<T, TKey> key,
        Func<T, TValue> value,
        CancellationToken cancellationToken = default
    )
        where TKey : notnull =>
        (await Of(query).ToResultsAsync(null, cancellationToken).ConfigureAwait(false)).Items.ToDictionary(key, value);

    /// <summary>The first result.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static async ValueTask<T> FirstAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) =>
        (await Of(query).ToResultsAsync(1, cancellationToken).ConfigureAwait(false)).Items is [var first, ..]
            ? first
            : throw new InvalidOperationException("the query has no result");

    /// <summary>The first result that a condition holds for.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static ValueTask<T> FirstAsync<T>(
        this IQueryable<T> query,
        Expression<Func<T, bool>> predicate,
        CancellationToken cancellationToken = default
    ) => query.Where(predicate).FirstAsync(cancellationToken);

    /// <summary>The first result, or the default.</summary>
    public static async ValueTask<T?> FirstOrDefaultAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) =>
        (await Of(query).ToResultsAsync(1, cancellationToken).ConfigureAwait(false)).Items is [var first, ..]
            ? first
            : default;

    /// <summary>The first result that a condition holds for, or the default.</summary>
    public static ValueTask<T?> FirstOrDefaultAsync<T>(
        this IQueryable<T> query,
        Expression<Func<T, bool>> predicate,
        CancellationToken cancellationToken = default
    ) => query.Where(predicate).FirstOrDefaultAsync(cancellationToken);

    /// <summary>The only result.</summary>
    /// <exception cref="InvalidOperationException">There is none, or more than one.</exception>
    public static async ValueTask<T> SingleAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => (await Of(query).ToResultsAsync(2, cancellationToken).ConfigureAwait(false)).Items.Single();

    /// <summary>The only result that a condition holds for.</summary>
    /// <exception cref="InvalidOperationException">There is none, or more than one.</exception>
    public static ValueTask<T> SingleAsync<T>(
        this IQueryable<T> query,
        Expression<Func<T, bool>> predicate,
        CancellationToken cancellationToken = default
    ) => query.Where(predicate).SingleAsync(cancellationToken);

    /// <summary>The only result, or the default.</summary>
    /// <exception cref="InvalidOperationException">There are more than one.</exception>
    public static async ValueTask<T?> SingleOrDefaultAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => (await Of(query).ToResultsAsync(2, cancellationToken).ConfigureAwait(false)).Items.SingleOrDefault();

    /// <summary>Whether there is a result.</summary>
    public static async ValueTask<bool> AnyAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => await Of(query).CountAsync(cancellationToken).ConfigureAwait(false) > 0;

    /// <summary>Whether a condition holds for any document.</summary>
    public static ValueTask<bool> AnyAsync<T>(
        this IQueryable<T> query,
        Expression<Func<T, bool>> predicate,
        CancellationToken cancellationToken = default
    ) => query.Where(predicate).AnyAsync(cancellationToken);

    /// <summary>How many results there are.</summary>
    public static async ValueTask<int> CountAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => checked((int)await Of(query).CountAsync(cancellationToken).ConfigureAwait(false));

    /// <summary>How many documents a condition holds for.</summary>
    public static ValueTask<int> CountAsync<T>(
        this IQueryable<T> query,
        Expression<Func<T, bool>> predicate,
        CancellationToken cancellationToken = default
    ) => query.Where(predicate).CountAsync(cancellationToken);

    /// <summary>How many results there are.</summary>
    public static ValueTask<long> LongCountAsync<T>(
        this IQueryable<T> query,
        CancellationToken cancellationToken = default
    ) => Of(query).CountAsync(cancellationToken);

    internal static IDocumentQuery<T> Of<T>(IQueryable<T> query) =>
        query as IDocumentQuery<T>
        ?? throw new ArgumentException("this is no query of a session; begin with session.Query<T>()", nameof(query));

    private static IQueryable<T> With<T>(IQueryable<T> query, MethodInfo method, params Expression[] arguments) =>
        query.Provider.CreateQuery<T>(Expression.Call(method, [query.Expression, .. arguments]));
}
