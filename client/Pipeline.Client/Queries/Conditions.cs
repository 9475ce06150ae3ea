using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Text.Json;

namespace Pipeline.Client.Queries;

/// <summary>
/// Writes the conditions of a lambda in the query language, so that they hold for the documents for which the lambda is
/// true.
/// </summary>
/// <param name="plan">The query.</param>
/// <param name="options">How classes become documents.</param>
/// <param name="idName">The member that holds the id.</param>
/// <param name="write">Writes a path; <see langword="null"/> does so as everywhere but in counts.</param>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
internal sealed partial class Conditions(
    QueryPlan plan,
    DocumentStoreOptions options,
    string? idName,
    Func<string, string>? write = null
)
{
    private const string WayRound = "compute it beforehand, store it in the document, or write the query with RawQuery";

    /// <summary>The condition of a predicate.</summary>
    public string Of(LambdaExpression predicate) => Visit(predicate.Body, predicate.Parameters[0], "");

    /// <summary>The field of an expression; <see langword="null"/> if it is no path from the parameter.</summary>
    public string? FieldOf(Expression expression, ParameterExpression parameter, string prefix = "")
    {
        if (Aggregate(expression, parameter) is { } aggregate)
            return aggregate;
        if (MemberPath.TryOf(expression, parameter, options) is not { } path)
            return null;
        if (path.Length == 0)
            return prefix.Length == 0 ? null : Name(prefix);
        return prefix.Length == 0 && path == idName ? "id()" : Name(prefix.Length == 0 ? path : $"{prefix}.{path}");
    }

    private string Name(string path) => write is null ? Quote(path) : write(path);

    /// <summary>A path as the text names it.</summary>
    public static string Quote(string path) => Rql.IsPlain(path) ? path : Rql.Text(path);

    private string Visit(Expression expression, ParameterExpression parameter, string prefix)
    {
        if (Closed.TryEvaluate(expression, out var constant) && constant is bool always)
            return always ? "true" : "false";
        switch (expression)
        {
            case BinaryExpression { NodeType: ExpressionType.AndAlso or ExpressionType.And } both
                when both.Type == typeof(bool):
                if (prefix.Length > 0)
                {
                    throw Unsupported(
                        expression,
                        "two conditions on one element of a list are not found by an index of its members; test one of them, or use RawQuery with 'filter'"
                    );
                }

                return Join(Visit(both.Left, parameter, prefix), Visit(both.Right, parameter, prefix), isAnd: true);
            case BinaryExpression { NodeType: ExpressionType.OrElse or ExpressionType.Or } either
                when either.Type == typeof(bool):
                return Join(
                    Visit(either.Left, parameter, prefix),
                    Visit(either.Right, parameter, prefix),
                    isAnd: false
                );
            case UnaryExpression { NodeType: ExpressionType.Not } not:
                if (prefix.Length > 0)
                {
                    throw Unsupported(
                        expression,
                        "'not' within Any() asks for an element that differs; write !list.Any(…) or use RawQuery with 'filter'"
                    );
                }

                return Not(Visit(not.Operand, parameter, prefix));
            case BinaryExpression
            {
                NodeType: ExpressionType.Equal
                    or ExpressionType.NotEqual
                    or ExpressionType.LessThan
                    or ExpressionType.LessThanOrEqual
                    or ExpressionType.GreaterThan
                    or ExpressionType.GreaterThanOrEqual
            } compared:
                return Comparison(compared, parameter, prefix);
            case MethodCallExpression call:
                return Call(call, parameter, prefix);
            case ConditionalExpression choice when prefix.Length == 0:
                var test = Visit(choice.Test, parameter, prefix);
                return Join(
                    Join(test, Visit(choice.IfTrue, parameter, prefix), isAnd: true),
                    Join(Not(test), Visit(choice.IfFalse, parameter, prefix), isAnd: true),
                    isAnd: false
                );
            case MemberExpression { Member: { Name: "HasValue" } value, Expression: { } owner }
                when Nullable.GetUnderlyingType(value.DeclaringType!) is not null:
                return Not(IsNull(expression, Field(owner, parameter, prefix), prefix));
            case MemberExpression or ParameterExpression when expression.Type == typeof(bool):
                return $"{Field(expression, parameter, prefix)} = true";
            default:
                throw Unsupported(expression, WayRound);
        }
    }

    private string Comparison(BinaryExpression compared, ParameterExpression parameter, string prefix)
    {
        var (left, right, kind) = (Stripped(compared.Left), Stripped(compared.Right), compared.NodeType);
        if (
            left.Type == typeof(bool)
            && kind is ExpressionType.Equal or ExpressionType.NotEqual
            && Truth(left, right) is var (tested, isTrue)
            && FieldOf(tested, parameter, prefix) is null
        )
        {
            return isTrue == (kind == ExpressionType.Equal)
                ? Visit(tested, parameter, prefix)
                : Visit(Expression.Not(tested), parameter, prefix);
        }

        if (Closed.TryEvaluate(left, out var first))
            return Compare(compared, right, first, Flip(kind), parameter, prefix);
        return Closed.TryEvaluate(right, out var second)
            ? Compare(compared, left, second, kind, parameter, prefix)
            : throw Unsupported(compared, "one side must be a value that is known before the query runs; " + WayRound);
    }

    /// <summary>A condition that is compared with a known truth value.</summary>
    private static (Expression Tested, bool IsTrue)? Truth(Expression left, Expression right) =>
        Closed.TryEvaluate(right, out var second) && second is bool behind && !Closed.IsClosed(left) ? (left, behind)
        : Closed.TryEvaluate(left, out var first) && first is bool before && !Closed.IsClosed(right) ? (right, before)
        : null;

    private string Compare(
        BinaryExpression whole,
        Expression member,
        object? value,
        ExpressionType kind,
        ParameterExpression parameter,
        string prefix
    )
    {
        var field = Field(member, parameter, prefix);
        if (prefix.Length > 0 && kind == ExpressionType.NotEqual)
            throw Unsupported(whole, "'!=' within Any() asks for an element that differs; use RawQuery with 'filter'");
        if (value is null)
        {
            return kind switch
            {
                ExpressionType.Equal => IsNull(whole, field, prefix),
                ExpressionType.NotEqual => Not(IsNull(whole, field, prefix)),
                _ => "false",
            };
        }

        var type = Nullable.GetUnderlyingType(member.Type) ?? member.Type;
        value = StoredTypes.Typed(type, value);
        if (type == typeof(float) && value is double wide && (float)wide != wide)
        {
            throw Unsupported(
                whole,
                "the member is a float, and the value has more digits than a float; compare with a float, for example 0.1f"
            );
        }

        var isText = StoredTypes.IsText(value, options);
        if (isText && !StoredTypes.HasOrder(type) && kind is not (ExpressionType.Equal or ExpressionType.NotEqual))
        {
            throw Unsupported(
                whole,
                $"{type.Name} is stored as a text, which has another order; list the values with Contains"
            );
        }

        var parameterName = plan.Add(json => Write(json, value));
        // Dates are indexed as times; other texts are compared with their case, as C# does.
        var isExact = isText && field != "id()" && !StoredTypes.IsTime(type);
        return kind switch
        {
            ExpressionType.Equal => Exact($"{field} = {parameterName}", isExact),
            ExpressionType.NotEqual => Not(Exact($"{field} = {parameterName}", isExact)),
            ExpressionType.LessThan => $"{field} < {parameterName}",
            ExpressionType.LessThanOrEqual => $"{field} <= {parameterName}",
            ExpressionType.GreaterThan => $"{field} > {parameterName}",
            _ => $"{field} >= {parameterName}",
        };
    }

    private string Field(Expression expression, ParameterExpression parameter, string prefix) =>
        FieldOf(expression, parameter, prefix)
        ?? throw Unsupported(
            expression,
            $"a condition compares a member of the document with a value; {WayOf(expression)}{WayRound}"
        );

    /// <summary>The usual way to say what a member is often computed for.</summary>
    private static string WayOf(Expression expression) =>
        expression switch
        {
            MethodCallExpression
            {
                Object.Type: var type,
                Method.Name: nameof(string.ToLower)
                    or nameof(string.ToLowerInvariant)
                    or nameof(string.ToUpper)
                    or nameof(string.ToUpperInvariant)
            } when type == typeof(string) =>
                "compare without case by x.Equals(text, StringComparison.OrdinalIgnoreCase), ",
            MemberExpression { Expression.Type: var type } when StoredTypes.IsTime(type) =>
                "compare with the first and the last time, such as x >= from && x < to, ",
            MethodCallExpression { Object.Type: var type, Method.Name: var name }
                when StoredTypes.IsTime(type) && name.StartsWith("Add", StringComparison.Ordinal) =>
                "move the arithmetic to the other side, such as x > time.AddDays(-7), ",
            BinaryExpression => "move the arithmetic to the other side, ",
            _ => "",
        };

    private string? Aggregate(Expression expression, ParameterExpression parameter)
    {
        if (!parameter.Type.IsGenericType || parameter.Type.GetGenericTypeDefinition() != typeof(IGrouping<,>))
            return null;
        if (
            expression is MemberExpression { Member.Name: "Key", Expression: ParameterExpression at }
            && at == parameter
        )
        {
            return plan.Groups.Count == 1 ? "key()" : null;
        }

        if (
            expression
                is MemberExpression
                {
                    Expression: MemberExpression { Member.Name: "Key", Expression: ParameterExpression of }
                } part
            && of == parameter
            && plan.GroupNames.TryGetValue(part.Member.Name, out var group)
        )
        {
            return group;
        }

        if (
            expression is not MethodCallExpression call
            || call.Method.DeclaringType != typeof(Enumerable)
            || call.Arguments[0] != parameter
        )
        {
            return null;
        }

        var member = call.Arguments.Count == 2 ? MemberPath.Lambda(call.Arguments[1]) : null;
        var function = call.Method.Name switch
        {
            nameof(Enumerable.Count) or nameof(Enumerable.LongCount) when member is null => "count()",
            nameof(Enumerable.Sum) => "sum",
            nameof(Enumerable.Min) => "min",
            nameof(Enumerable.Max) => "max",
            nameof(Enumerable.Average) => "avg",
            _ => throw Unsupported(expression, "a group offers Count, and Sum, Min, Max and Average of one member"),
        };
        return function == "count()" ? function
            : member is null ? throw Unsupported(expression, "name the member")
            : $"{function}({Quote(MemberPath.Of(member, options))})";
    }

    private void Write(Utf8JsonWriter json, object value) =>
        JsonSerializer.Serialize(json, value, value.GetType(), options.Serializer);

    private string Exact(string condition, bool isExact) =>
        isExact && !plan.IsOfIndex ? $"exact({condition})" : condition;

    private static string Not(string condition) =>
        condition switch
        {
            "true" => "false",
            "false" => "true",
            _ => $"(not ({condition}))",
        };

    /// <summary>The condition that a member is null or missing.</summary>
    /// <exception cref="UnsupportedExpressionException">
    /// It is asked of the elements of a list: an index does not know which of them lack a member.
    /// </exception>
    private static string IsNull(Expression whole, string field, string prefix) =>
        field == "id()" ? "false"
        : prefix.Length == 0 ? $"({field} = null or not exists({field}))"
        : throw Unsupported(
            whole,
            "an index does not know which elements of a list lack a value; use RawQuery with 'filter'"
        );

    private static string Join(string a, string b, bool isAnd)
    {
        var (neutral, absorbing) = isAnd ? ("true", "false") : ("false", "true");
        if (a == absorbing || b == absorbing)
            return absorbing;
        return a == neutral ? b
            : b == neutral ? a
            : $"({a} {(isAnd ? "and" : "or")} {b})";
    }

    private static Expression Stripped(Expression expression) =>
        expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } converted
        && MemberPath.KeepsValue(converted)
        && !Closed.IsClosed(converted)
            ? Stripped(converted.Operand)
            : expression;

    private static ExpressionType Flip(ExpressionType kind) =>
        kind switch
        {
            ExpressionType.LessThan => ExpressionType.GreaterThan,
            ExpressionType.LessThanOrEqual => ExpressionType.GreaterThanOrEqual,
            ExpressionType.GreaterThan => ExpressionType.LessThan,
            ExpressionType.GreaterThanOrEqual => ExpressionType.LessThanOrEqual,
            _ => kind,
        };

    private static UnsupportedExpressionException Unsupported(Expression expression, string reason) =>
        new(expression.ToString(), reason);
}
