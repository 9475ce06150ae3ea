using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;

namespace Pipeline.Database.Queries.Results;

/// <summary>A condition that depends only on ids, which are compared without case.</summary>
internal sealed class IdCondition
{
    private readonly QuerySyntax _query;
    private readonly QueryParameters _parameters;
    private readonly Func<string, CompareExchangeValue?> _exchange;
    private readonly Func<string, bool> _holds;
    private readonly Action<long>? _onHeld;
    private readonly CancellationToken _cancellationToken;

    /// <exception cref="InvalidQueryException">Something in it cannot be said of ids.</exception>
    internal IdCondition(
        QuerySyntax query,
        QueryParameters parameters,
        Func<string, CompareExchangeValue?> exchange,
        Action<long>? onHeld,
        CancellationToken cancellationToken
    )
    {
        (_query, _parameters, _exchange, _onHeld, _cancellationToken) = (
            query,
            parameters,
            exchange,
            onHeld,
            cancellationToken
        );
        _holds = Bind(query.Where!);
        foreach (
            var part in query.Where is LogicalSyntax { Operator: LogicalOperator.And } and
                ? and.Operands
                : [query.Where!]
        )
        {
            if (part is ComparisonSyntax { Operator: ComparisonOperator.Equal } equal)
                Only ??= [Text(equal.Right)];
            else if (part is InSyntax { IsAll: false } within)
                Only ??= [.. within.Values.SelectMany(Texts).Distinct(StringComparer.OrdinalIgnoreCase)];
            else if (part is CallSyntax { Name: "startsWith" } call)
                Prefix ??= Text(call.Arguments[1]);
        }
    }

    /// <summary>The only ids for which it can hold; null if they cannot be determined.</summary>
    internal IReadOnlyList<string>? Only { get; }

    /// <summary>The common prefix of all ids for which it holds; null if it cannot be determined.</summary>
    internal string? Prefix { get; }

    internal bool Holds(string id) => _holds(id);

    private Func<string, bool> Bind(ExpressionSyntax condition)
    {
        switch (condition)
        {
            case LogicalSyntax logical:
                Func<string, bool>[] operands = [.. logical.Operands.Select(Bind)];
                return logical.Operator == LogicalOperator.And
                    ? id => Array.TrueForAll(operands, o => o(id))
                    : id => Array.Exists(operands, o => o(id));
            case NotSyntax not:
                var operand = Bind(not.Operand);
                return id => !operand(id);
            case ComparisonSyntax comparison:
                return Compare(comparison.Operator, Text(comparison.Right));
            case BetweenSyntax between:
                Func<string, bool> low = Compare(ComparisonOperator.GreaterOrEqual, Text(between.Low)),
                    high = Compare(ComparisonOperator.LessOrEqual, Text(between.High));
                return id => low(id) && high(id);
            case InSyntax within:
                var ids = new HashSet<string>(within.Values.SelectMany(Texts), StringComparer.OrdinalIgnoreCase);
                return within.IsAll ? id => ids.Count == 0 || (ids.Count == 1 && ids.Contains(id)) : ids.Contains;
            case CallSyntax { Name: "exact" or "boost" } call:
                return Bind(call.Arguments[0]);
            case CallSyntax { Name: "startsWith" } call:
                var prefix = Text(call.Arguments[1]);
                return id => id.StartsWith(prefix, StringComparison.OrdinalIgnoreCase);
            case CallSyntax { Name: "endsWith" } call:
                var suffix = Text(call.Arguments[1]);
                return id => id.EndsWith(suffix, StringComparison.OrdinalIgnoreCase);
            case CallSyntax { Name: "exists" }:
                return _ => true;
            case LiteralSyntax { Value: bool truth }:
                return _ => truth;
            default:
                throw new InvalidQueryException(
                    QueryErrorKind.NotSupported,
                    _query.Text,
                    condition.Span,
                    $"{condition} cannot be asked of ids",
                    "there are =, in, startsWith() and endsWith()"
                );
        }
    }

    private static Func<string, bool> Compare(ComparisonOperator op, string other) =>
        op switch
        {
            ComparisonOperator.Equal => id => Order(id, other) == 0,
            ComparisonOperator.NotEqual => id => Order(id, other) != 0,
            ComparisonOperator.Less => id => Order(id, other) < 0,
            ComparisonOperator.LessOrEqual => id => Order(id, other) <= 0,
            ComparisonOperator.Greater => id => Order(id, other) > 0,
            _ => id => Order(id, other) >= 0,
        };

    private static int Order(string a, string b) => string.Compare(a, b, StringComparison.OrdinalIgnoreCase);

    private string Text(ExpressionSyntax expression) => Value(expression) as string ?? throw NoId(expression);

    private IEnumerable<string> Texts(ExpressionSyntax expression) =>
        Value(expression) switch
        {
            string id => [id],
            List<object?> list => list.Select(v => v as string ?? throw NoId(expression)),
            _ => throw NoId(expression),
        };

    private object? Value(ExpressionSyntax expression) =>
        expression switch
        {
            LiteralSyntax literal => literal.Value,
            ParameterSyntax parameter when _parameters.TryGet(parameter.Name, out var value) => Counted(value),
            ParameterSyntax parameter => throw new InvalidQueryException(
                QueryErrorKind.Parameter,
                _query.Text,
                parameter.Span,
                $"the parameter '${parameter.Name}' is not given",
                Spelling.Suggest(parameter.Name, _parameters.Names)
            ),
            CallSyntax call when CompareExchangeTerm.Is(call) => CompareExchangeTerm.Of(
                _exchange(Text(call.Arguments[0]))
            ),
            _ => null,
        };

    private object? Counted(object? value)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        _onHeld?.Invoke(QueryParameters.BoundBytes(value));
        return value;
    }

    private InvalidQueryException NoId(ExpressionSyntax expression) =>
        new(
            QueryErrorKind.Parameter,
            _query.Text,
            expression.Span,
            $"an id is a text, not {expression}",
            "for instance id() = 'orders/1'"
        );
}
