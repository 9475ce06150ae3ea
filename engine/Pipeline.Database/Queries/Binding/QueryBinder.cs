using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Makes of a condition what an index looks up. Texts are analysed as the field's were; a number finds numbers, a text
/// finds texts: the type of the value that is written or given decides.
/// </summary>
internal sealed partial class QueryBinder(QueryContext context)
{
    /// <summary>Above every term but the reserved ones; no UTF-8 begins with it.</summary>
    private static readonly byte[] AboveTerms = [0xFF];

    private bool _exact;

    /// <summary>The query for a condition; every entry if there is no condition.</summary>
    /// <exception cref="InvalidQueryException">The index cannot answer it.</exception>
    internal Query Bind(ExpressionSyntax? condition) =>
        Boosted(condition is null ? AllQuery.Instance : Condition(condition), IndexFieldNames.Boost(""));

    /// <summary>Whether the definition boosts any field that the query searches.</summary>
    internal bool IsBoosted { get; private set; }

    /// <summary>A query in a field, boosted by the definition and by the boosts that maps gave to its values.</summary>
    internal Query Weigh(QueryField field, Query query)
    {
        query = Boosted(query, IndexFieldNames.Boost(field.Name));
        if (field.Boost == 1)
            return query;
        IsBoosted = true;
        return new BoostQuery(query, field.Boost);
    }

    private Query Boosted(Query query, string factors)
    {
        if (query is NoneQuery || !context.Index.Reader.TryGetField(factors, out _))
            return query;
        IsBoosted = true;
        return new EntryBoostQuery(query, factors);
    }

    internal Query Condition(ExpressionSyntax condition) =>
        condition switch
        {
            LogicalSyntax { Operator: LogicalOperator.And } and => And(and.Operands),
            LogicalSyntax or => new BooleanQuery { Should = [.. or.Operands.Select(Condition)] },
            NotSyntax not => BooleanQuery.Not(Condition(not.Operand)),
            ComparisonSyntax comparison => Compare(comparison),
            BetweenSyntax between => Between(between),
            InSyntax within => In(within),
            CallSyntax { Target: null } call => Function(call),
            LiteralSyntax { Value: true } => AllQuery.Instance,
            LiteralSyntax { Value: false } => NoneQuery.Instance,
            FieldSyntax field => throw context.Paths.Error(
                field,
                $"'{field}' is no condition",
                $"write {field} = true"
            ),
            _ => throw context.Paths.Error(
                condition,
                $"{condition} is not a condition that an index can answer",
                "compare a field with a value, or use 'filter'"
            ),
        };

    private BooleanQuery And(IReadOnlyList<ExpressionSyntax> operands)
    {
        var negated = operands.ToLookup(o =>
            o is NotSyntax or ComparisonSyntax { Operator: ComparisonOperator.NotEqual }
        );
        return new BooleanQuery
        {
            Must = [.. negated[false].Select(Condition)],
            MustNot = [.. negated[true].Select(Denied)],
        };
    }

    /// <summary>The condition that must not hold, for a condition that begins with a negation.</summary>
    private Query Denied(ExpressionSyntax condition) =>
        condition is NotSyntax not
            ? Condition(not.Operand)
            : Compare((ComparisonSyntax)condition with { Operator = ComparisonOperator.Equal });

    private Query Compare(ComparisonSyntax comparison)
    {
        if (comparison.Operator == ComparisonOperator.NotEqual)
            return BooleanQuery.Not(Compare(comparison with { Operator = ComparisonOperator.Equal }));
        var value = context.Scalar(comparison.Right);
        if (Field(comparison.Left) is not { } field)
            return NoneQuery.Instance;
        switch (comparison.Operator)
        {
            case ComparisonOperator.Equal:
                return Equal(field, value, comparison.Right);
            case not ComparisonOperator.Equal when OpenEnd.Is(comparison.Right, value as string):
                return Known(field);
            case ComparisonOperator.Less or ComparisonOperator.LessOrEqual:
                return Range(
                    field,
                    null,
                    value,
                    true,
                    comparison.Operator == ComparisonOperator.LessOrEqual,
                    comparison.Right
                );
            default:
                return Range(
                    field,
                    value,
                    null,
                    comparison.Operator == ComparisonOperator.GreaterOrEqual,
                    true,
                    comparison.Right
                );
        }
    }

    private Query Between(BetweenSyntax between)
    {
        object? low = context.Scalar(between.Low),
            high = context.Scalar(between.High);
        if (Field(between.Operand) is not { } field)
            return NoneQuery.Instance;
        bool isLowOpen = OpenEnd.Is(between.Low, low as string),
            isHighOpen = OpenEnd.Is(between.High, high as string);
        return isLowOpen && isHighOpen
            ? Known(field)
            : Range(field, isLowOpen ? null : low, isHighOpen ? null : high, true, true, between.Low);
    }

    private Query In(InSyntax within)
    {
        var values = new List<object?>();
        foreach (var item in within.Values)
        {
            var value = context.Value(item);
            if (value is List<object?> list)
                values.AddRange(list);
            else
                values.Add(value);
        }

        if (Field(within.Operand) is not { } field)
            return within.IsAll && values.Count == 0 ? AllQuery.Instance : NoneQuery.Instance;
        var analysed = field.Options.Indexing == TermForm.Search;
        var terms = new List<ReadOnlyMemory<byte>>();
        var others = new List<Query>();
        foreach (var value in values)
        {
            if (value is string text && !analysed)
                terms.Add(Whole(field, text));
            else
                others.Add(Equal(field, value, within));
        }

        if (within.IsAll)
        {
            if (terms.Count > 0 || others.Count == 0)
                others.Add(new AllInQuery(field.Name, terms));
            return others.Count == 1 ? others[0] : new BooleanQuery { Must = others };
        }

        if (terms.Count > 0 || others.Count == 0)
            others.Add(new InQuery(field.Name, terms));
        return others.Count == 1 ? others[0] : new BooleanQuery { Should = others };
    }

    private Query Equal(QueryField field, object? value, ExpressionSyntax at) =>
        Weigh(field, Unweighed(field, value, at));

    private Query Unweighed(QueryField field, object? value, ExpressionSyntax at)
    {
        switch (value)
        {
            case null:
                return new NullQuery(field.Name);
            case bool truth:
                return new TermQuery(field.Name, truth ? "true"u8.ToArray() : "false"u8.ToArray());
            case string text:
                return TextQuery(field, text);
            case long or double:
                var key = Key(value, at);
                return new NumberRangeQuery(field.Name, key, key);
            default:
                throw context.Parameter(at, "an object cannot be compared");
        }
    }

    private Query TextQuery(QueryField field, string text) =>
        field is { Options.Indexing: TermForm.Search, Analyzer: not null } && !_exact
            ? Words(field, text, 0)
            : new TermQuery(field.Name, Whole(field, text));

    internal Query Range(
        QueryField field,
        object? low,
        object? high,
        bool includeLow,
        bool includeHigh,
        ExpressionSyntax at
    )
    {
        if ((low ?? high) is long or double && (low is null or long or double) && (high is null or long or double))
        {
            return new NumberRangeQuery(
                field.Name,
                low is null ? NumericKey.Min : Key(low, at),
                high is null ? NumericKey.Max : Key(high, at),
                includeLow,
                includeHigh
            );
        }

        if ((low ?? high) is string && low is null or string && high is null or string)
        {
            return new TermRangeQuery(
                field.Name,
                low is string from ? Whole(field, from) : null,
                high is string to ? Whole(field, to) : AboveTerms,
                includeLow,
                high is not null && includeHigh
            );
        }

        // As in RavenDB nothing is less or greater than null.
        if (low is null && high is null)
            return NoneQuery.Instance;
        throw context.Parameter(at, "the ends of a range are two numbers or two texts (dates are texts)");
    }

    /// <summary>The entries that any range can match: those with a number or a text.</summary>
    private static BooleanQuery Known(QueryField field) =>
        new()
        {
            Should =
            [
                new NumberRangeQuery(field.Name, NumericKey.Min, NumericKey.Max, true, true),
                new TermRangeQuery(field.Name, null, AboveTerms, true, false),
            ],
            MinimumShouldMatch = 1,
        };

    private byte[] Whole(QueryField field, string text) =>
        _exact ? FieldTerms.Exact(text) : FieldTerms.Whole(field, text);

    private NumericKey Key(object value, ExpressionSyntax at) =>
        value is long integer ? NumericKey.From(integer)
        : NumericKey.TryFrom((double)value, out var key) ? key
        : throw context.Parameter(at, "NaN is not a number to search for");

    /// <summary>The field that is compared; null where the index has no values of it.</summary>
    private QueryField? Field(ExpressionSyntax expression)
    {
        if (context.Paths.IsId(expression))
            return new QueryField(IndexFieldNames.DocumentId, FieldOptions.Default);
        var path = Path(expression);
        return context.Field(expression, path, _exact ? IndexFieldNames.Exact(path) : null);
    }

    /// <summary>The name of a field or of an aggregate of groups.</summary>
    internal string Path(ExpressionSyntax expression) =>
        expression switch
        {
            CallSyntax call when AggregateDemand.IsAggregate(call) => AggregateDemand.NameOf(
                call,
                a => context.Paths.Of(a, "a field")
            ),
            CallSyntax { Target: null, Name: "key" } when context.Query.GroupBy is [{ Expression: FieldSyntax key }] =>
                context.Paths.Of(key),
            _ => context.Paths.Of(expression, "a field"),
        };
}
