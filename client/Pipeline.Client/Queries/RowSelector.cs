using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Text.Json;

namespace Pipeline.Client.Queries;

/// <summary>
/// Makes of a selector a function of a row. The database returns the members that it reads; everything else of it runs
/// here, so that any expression can be selected.
/// </summary>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Compiles the selector.")]
internal static class RowSelector
{
    /// <summary>The function; <see cref="QueryPlan.Fields"/> gets the members.</summary>
    public static LambdaExpression Make(LambdaExpression selector, QueryPlan plan, Conditions conditions)
    {
        var row = Expression.Parameter(typeof(Row), "row");
        var reader = new Reader(selector.Parameters[0], row, plan, conditions);
        var body = reader.Visit(selector.Body)!;
        if (reader.IsWhole)
        {
            if (plan.Groups.Count > 0)
            {
                throw new UnsupportedExpressionException(
                    selector.ToString(),
                    "of a group, only its key and Count, Sum, Min, Max and Average of a member can be selected"
                );
            }

            plan.Fields.Clear();
            return selector;
        }

        if (plan.Fields.Count == 0)
            plan.Fields.Add((plan.Groups.Count > 0 ? "count()" : "id()", typeof(object)));
        return Expression.Lambda(body, row);
    }

    /// <summary>Whether a selector only puts members together, so that equal rows are equal results.</summary>
    public static bool IsPlain(LambdaExpression selector, Conditions conditions)
    {
        return selector.Body switch
        {
            NewExpression made => made.Arguments.All(IsMember),
            MemberInitExpression { NewExpression.Arguments.Count: 0 } set => set.Bindings.All(b =>
                b is MemberAssignment assigned && IsMember(assigned.Expression)
            ),
            var body => IsMember(body),
        };

        bool IsMember(Expression expression) => conditions.FieldOf(expression, selector.Parameters[0]) is not null;
    }

    [RequiresUnreferencedCode("Reads any class.")]
    [RequiresDynamicCode("Reads any class.")]
    private sealed class Reader(
        ParameterExpression parameter,
        ParameterExpression row,
        QueryPlan plan,
        Conditions conditions
    ) : ExpressionVisitor
    {
        /// <summary>Whether the selector uses the whole document.</summary>
        public bool IsWhole { get; private set; }

        public override Expression? Visit(Expression? node)
        {
            if (node == parameter)
            {
                IsWhole = true;
                return node;
            }

            if (node is MemberExpression or MethodCallExpression && Field(node) is { } field)
            {
                plan.Fields.Add((field, node.Type));
                return Expression.Call(
                    row,
                    Row.GetMethod.MakeGenericMethod(node.Type),
                    Expression.Constant(plan.Fields.Count - 1)
                );
            }

            return base.Visit(node);
        }

        private string? Field(Expression node)
        {
            // A method of a list runs here, on the list; only a group's are the database's.
            if (node is MethodCallExpression && plan.Groups.Count == 0)
                return null;
            // Nullable<T>.Value must fail here if there is none.
            if (
                node is MemberExpression { Member: { Name: "Value" or "HasValue" } value }
                && Nullable.GetUnderlyingType(value.DeclaringType!) is not null
            )
            {
                return null;
            }
            // Length and Count are members of the value, not of the document.
            if (
                node is MemberExpression { Expression: { } owner, Member.Name: "Length" or "Count" }
                && (owner.Type == typeof(string) || typeof(System.Collections.IEnumerable).IsAssignableFrom(owner.Type))
            )
            {
                return null;
            }
            // Members of a date or of another framework's value are read here, too.
            if (
                node is MemberExpression { Expression: { } of }
                && of.Type.Namespace?.StartsWith("System", StringComparison.Ordinal) == true
                && plan.Groups.Count == 0
            )
            {
                return null;
            }

            return conditions.FieldOf(node, parameter);
        }
    }
}

/// <summary>The selected members of one result.</summary>
[RequiresUnreferencedCode("Reads any class.")]
[RequiresDynamicCode("Reads any class.")]
internal sealed class Row(JsonElement json, JsonSerializerOptions options)
{
    internal static System.Reflection.MethodInfo GetMethod { get; } =
        new Func<int, object?>(
            new Row(default, JsonSerializerOptions.Default).Get<object>
        ).Method.GetGenericMethodDefinition();

    /// <summary>A member's value; the default if it is missing or null.</summary>
    public T? Get<T>(int index) =>
        json.TryGetProperty("f" + index.ToString(System.Globalization.CultureInfo.InvariantCulture), out var value)
        && value.ValueKind != JsonValueKind.Null
            ? value.Deserialize<T>(options)
            : default;
}
