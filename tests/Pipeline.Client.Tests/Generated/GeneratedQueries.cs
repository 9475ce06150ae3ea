using System.Linq.Expressions;
using System.Reflection;
using System.Text;
using Pipeline.Database.Queries.Binding;
using Pipeline.Indexing;

namespace Pipeline.Client.Tests.Generated;

/// <summary>Queries of one class.</summary>
internal interface IGeneratedQueries
{
    /// <summary>Makes a query, runs it and compares its results.</summary>
    /// <returns>The unsupported form for which the client refused it; <see langword="null"/> if it was run.</returns>
    Task<string?> RunAsync();
}

/// <summary>Makes queries of one class.</summary>
/// <param name="random">The source of chance.</param>
/// <param name="values">Makes the values that queries compare with.</param>
/// <param name="comparison">Compares the results.</param>
/// <param name="ways">A new query on each way.</param>
/// <param name="objects">What is stored.</param>
/// <param name="selections">What queries select.</param>
/// <param name="sets">Selections without repeats.</param>
/// <param name="groups">Groups of whole collections.</param>
internal sealed class GeneratedQueries<T>(
    Random random,
    GeneratedObjects values,
    QueryComparison comparison,
    Func<IReadOnlyList<IQueryable<T>>> ways,
    IReadOnlyList<T> objects,
    IShape<T>[] selections,
    IShape<T>[] sets,
    IShape<T>[] groups
) : IGeneratedQueries
    where T : class
{
    private readonly GeneratedConditions _conditions = new(random, values);
    private IReadOnlyList<IQueryable<T>> _asked = [];
    private IEnumerable<T> _memory = [];
    private string? _unsupported;

    public async Task<string?> RunAsync()
    {
        (_asked, _memory, _unsupported) = (ways(), objects, null);
        var kind = random.Next(12);
        if (kind == 0)
            return await CheckAsync(values.One(groups), isOrdered: false);
        for (var i = random.Next(3); i > 0; i--)
            Where();
        if (kind == 1 && sets.Length > 0)
            return await CheckAsync(values.One(sets), isOrdered: false);
        var isOrdered = random.Next(2) == 0 && Order();
        if (isOrdered)
            Page();
        return await CheckAsync(random.Next(3) == 0 ? values.One(selections) : new Shape<T, T>(q => q), isOrdered);
    }

    private async Task<string?> CheckAsync(IShape<T> shape, bool isOrdered)
    {
        try
        {
            await shape.CheckAsync(comparison, _asked, _memory, isOrdered);
            return null;
        }
        catch (UnsupportedExpressionException) when (_unsupported is not null)
        {
            return _unsupported;
        }
    }

    private void Where()
    {
        var parameter = Expression.Parameter(typeof(T), "d");
        var condition = _conditions.Make(parameter, random.Next(4));
        var asked = Expression.Lambda<Func<T, bool>>(condition.Query, parameter);
        var known = Expression.Lambda<Func<T, bool>>(condition.Memory, parameter).Compile();
        _asked = [.. _asked.Select(q => q.Where(asked))];
        _memory = _memory.Where(known);
        _unsupported ??= condition.Unsupported;
    }

    /// <summary>Orders by some members and, so that the order is known, by the id.</summary>
    private bool Order()
    {
        var (asked, memory) = (_asked, _memory);
        for (var i = random.Next(3); i >= 0; i--)
        {
            var parameter = Expression.Parameter(typeof(T), "d");
            var property = values.One([
                .. typeof(T)
                    .GetProperties()
                    .Where(p =>
                        p.Name != "EqualityContract"
                        && (GeneratedConditions.Scalar(p.PropertyType) || p.PropertyType == typeof(Place))
                    ),
            ]);
            if (i == 0)
                property = typeof(T).GetProperty("Id")!;
            Expression key = Expression.Property(parameter, property);
            if (key.Type == typeof(Place))
                key = Expression.Property(key, values.One(["City", "Zip", "Latitude"]));
            var type = Nullable.GetUnderlyingType(key.Type) ?? key.Type;
            if (type.IsEnum || type == typeof(TimeSpan))
            {
                if (random.Next(8) > 0)
                    continue;
                _unsupported ??= $"order of {type.Name}";
            }

            var isDescending = random.Next(2) == 0;
            var isFirst = ReferenceEquals(memory, _memory);
            asked =
            [
                .. asked.Select(q =>
                    Ordered(q, key, parameter, (isFirst ? "OrderBy" : "ThenBy") + (isDescending ? "Descending" : ""))
                ),
            ];
            var read = Reader(key, parameter);
            memory = (isFirst, isDescending) switch
            {
                (true, false) => memory.OrderBy(read, KeyComparer.Instance),
                (true, true) => memory.OrderByDescending(read, KeyComparer.Instance),
                (false, false) => ((IOrderedEnumerable<T>)memory).ThenBy(read, KeyComparer.Instance),
                _ => ((IOrderedEnumerable<T>)memory).ThenByDescending(read, KeyComparer.Instance),
            };
        }

        (_asked, _memory) = (asked, memory);
        return true;
    }

    private static IQueryable<T> Ordered(
        IQueryable<T> query,
        Expression key,
        ParameterExpression parameter,
        string method
    ) =>
        query.Provider.CreateQuery<T>(
            Expression.Call(
                typeof(Queryable),
                method,
                [typeof(T), key.Type],
                query.Expression,
                Expression.Quote(Expression.Lambda(key, parameter))
            )
        );

    /// <summary>The key in memory; that of a member of a null is null.</summary>
    private static Func<T, object?> Reader(Expression key, ParameterExpression parameter) =>
        document =>
            key is MemberExpression { Member: PropertyInfo member, Expression: { } owner }
                ? (owner == parameter ? document : ((PropertyInfo)((MemberExpression)owner).Member).GetValue(document))
                    is { } at
                    ? member.GetValue(at)
                    : null
                : null;

    private void Page()
    {
        if (random.Next(2) == 0)
            return;
        var (skip, take) = (random.Next(12), random.Next(1, 20));
        var isTakenFirst = random.Next(4) == 0;
        _asked = [.. _asked.Select(q => isTakenFirst ? q.Take(take).Skip(skip) : q.Skip(skip).Take(take))];
        _memory = isTakenFirst ? _memory.Take(take).Skip(skip) : _memory.Skip(skip).Take(take);
    }

    /// <summary>The order of the index: nulls first, and texts without case by code points.</summary>
    private sealed class KeyComparer : IComparer<object?>
    {
        public static KeyComparer Instance { get; } = new();

        public int Compare(object? x, object? y) =>
            (x is char ? x.ToString() : x, y is char ? y.ToString() : y) switch
            {
                (string a, string b) => Term(a).AsSpan().SequenceCompareTo(Term(b)),
                _ => Comparer<object>.Default.Compare(x, y),
            };

        private static byte[] Term(string text) =>
            DateTerm.TryMake(text)
            ?? IndexTerm
                .Normalize(
                    Encoding.UTF8.GetBytes(string.Concat(text.EnumerateRunes().Select(Rune.ToLowerInvariant))),
                    new byte[IndexTerm.MaxLength]
                )
                .ToArray();
    }
}
