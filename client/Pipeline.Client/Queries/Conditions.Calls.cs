using System.Linq.Expressions;
using System.Text;
using System.Text.RegularExpressions;

namespace Pipeline.Client.Queries;

/// <content>The calls of methods in a condition.</content>
internal sealed partial class Conditions
{
    private string Call(MethodCallExpression call, ParameterExpression parameter, string prefix)
    {
        var (name, type) = (call.Method.Name, call.Method.DeclaringType);
        if (type == typeof(string))
            return TextCall(call, parameter, prefix);
        if (name == nameof(DocumentQueryable.In) && type == typeof(DocumentQueryable))
            return In(call, call.Arguments[0], call.Arguments[1], parameter, prefix);
        if (
            name == nameof(Enumerable.Contains)
            && Sought(call) is var (items, element)
            && items is not null
            && element is not null
        )
        {
            return Closed.TryEvaluate(items, out _) ? In(call, element, items, parameter, prefix)
                : Closed.TryEvaluate(element, out var sought) ? Element(call, items, sought, parameter, prefix)
                : throw Unsupported(call, WayRound);
        }

        if (
            name == nameof(Enumerable.Any)
            && type == typeof(Enumerable)
            && call.Arguments.Count == 2
            && MemberPath.Lambda(call.Arguments[1]) is { } test
            && MemberPath.TryOf(call.Arguments[0], parameter, options) is { Length: > 0 } path
        )
        {
            var inner = (prefix.Length == 0 ? path : $"{prefix}.{path}") + "[]";
            return Visit(test.Body, test.Parameters[0], inner) is var found && found == "true"
                ? throw Unsupported(
                    call,
                    "the condition holds for every element; an index does not know whether a list has any"
                )
                : found;
        }

        if (name == nameof(Enumerable.All) && type == typeof(Enumerable))
        {
            throw Unsupported(
                call,
                "an index finds elements that a condition holds for; write !list.Any(…) with the opposite condition"
            );
        }

        if (name == nameof(Enumerable.Any) && type == typeof(Enumerable))
        {
            throw Unsupported(
                call,
                "an index does not know whether a list has any element; test a member of the elements, or store the number"
            );
        }

        if (name == nameof(object.Equals) && call.Object is { } self && call.Arguments.Count == 1)
        {
            return Comparison(
                Expression.Equal(self, Expression.Convert(call.Arguments[0], self.Type)),
                parameter,
                prefix
            );
        }

        throw Unsupported(call, WayRound);
    }

    /// <summary>The list and the element of a call of <c>Contains</c>.</summary>
    private static (Expression? List, Expression? Element) Sought(MethodCallExpression call) =>
        call.Object is { } list ? (list, call.Arguments[0])
        : call.Arguments.Count == 2 ? (MemberPath.Unspanned(call.Arguments[0]), call.Arguments[1])
        : default;

    private string TextCall(MethodCallExpression call, ParameterExpression parameter, string prefix)
    {
        var name = call.Method.Name;
        if (call.Object is null)
        {
            if (name is nameof(string.IsNullOrEmpty) && call.Arguments is [var tested])
                return $"({IsNull(call, Field(tested, parameter, prefix), prefix)} or exact({Field(tested, parameter, prefix)} = ''))";
            if (name is nameof(string.Equals) && call.Arguments.Count >= 2)
            {
                return Same(
                    call,
                    call.Arguments[0],
                    call.Arguments[1],
                    call.Arguments.Count > 2 ? call.Arguments[2] : null,
                    parameter,
                    prefix
                );
            }

            throw Unsupported(call, WayRound);
        }

        if (name == nameof(string.Equals))
        {
            return Same(
                call,
                call.Object,
                call.Arguments[0],
                call.Arguments.Count > 1 ? call.Arguments[1] : null,
                parameter,
                prefix
            );
        }

        if (
            !Closed.TryEvaluate(call.Arguments[0], out var value)
            || Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture) is not { } text
        )
        {
            throw Unsupported(call, "the text must be known before the query runs");
        }

        var isExact = call.Arguments.Count < 2 || IsWithCase(call, call.Arguments[1]);
        var field = Field(call.Object, parameter, prefix);
        var function = name switch
        {
            nameof(string.StartsWith) => "startsWith",
            nameof(string.EndsWith) => "endsWith",
            nameof(string.Contains) when field != "id()" => "regex",
            _ => throw Unsupported(call, WayRound),
        };
        if (text.Length == 0)
            return Not(IsNull(call, field, prefix));
        isExact |= !StoredTypes.HasCase(text);
        // The index does not change a pattern, and its terms without case are in lower case.
        var pattern =
            function != "regex"
                ? text
                : Regex.Escape(isExact ? text : string.Concat(text.EnumerateRunes().Select(Rune.ToLowerInvariant)));
        return Exact($"{function}({field}, {plan.Add(j => j.WriteStringValue(pattern))})", isExact && field != "id()");
    }

    private string Same(
        MethodCallExpression call,
        Expression a,
        Expression b,
        Expression? comparison,
        ParameterExpression parameter,
        string prefix
    )
    {
        if (comparison is null || IsWithCase(call, comparison))
            return Comparison(Expression.Equal(a, b), parameter, prefix);
        var (member, other) = Closed.TryEvaluate(a, out _) ? (b, a) : (a, b);
        if (!Closed.TryEvaluate(other, out var value))
            throw Unsupported(call, "the text must be known before the query runs");
        var field = Field(member, parameter, prefix);
        return value is not string text
            ? IsNull(call, field, prefix)
            : Exact(
                $"{field} = {plan.Add(j => j.WriteStringValue(text))}",
                field != "id()" && !StoredTypes.HasCase(text)
            );
    }

    private static bool IsWithCase(Expression call, Expression comparison) =>
        Closed.TryEvaluate(comparison, out var value)
        && value switch
        {
            StringComparison.Ordinal or StringComparison.CurrentCulture or StringComparison.InvariantCulture => true,
            StringComparison => false,
            _ => throw Unsupported(call, "give a StringComparison that is known before the query runs"),
        };

    private string In(
        Expression whole,
        Expression member,
        Expression list,
        ParameterExpression parameter,
        string prefix
    )
    {
        var field = Field(Stripped(member), parameter, prefix);
        if (!Closed.TryEvaluate(list, out var values) || values is not System.Collections.IEnumerable items)
            throw Unsupported(whole, "the list must be known before the query runs");
        var type = Nullable.GetUnderlyingType(Stripped(member).Type) ?? Stripped(member).Type;
        List<object?> known = [.. items.Cast<object?>().Select(v => v is null ? null : StoredTypes.Typed(type, v))];
        var isNullSought = known.RemoveAll(v => v is null) > 0;
        var found =
            known.Count == 0
                ? "false"
                : Exact(
                    $"{field} in ({plan.Add(json =>
        {
            json.WriteStartArray();
            known.ForEach(v => Write(json, v!));
            json.WriteEndArray();
        })})",
                    field != "id()" && !StoredTypes.IsTime(type) && StoredTypes.IsText(known[0]!, options)
                );
        return isNullSought ? Join(found, IsNull(whole, field, prefix), isAnd: false) : found;
    }

    private string Element(
        Expression whole,
        Expression list,
        object? sought,
        ParameterExpression parameter,
        string prefix
    )
    {
        var field = Field(list, parameter, prefix);
        if (sought is null)
        {
            throw Unsupported(
                whole,
                "a list that is null and a null in a list look alike in an index; use RawQuery with 'filter'"
            );
        }

        var type = sought.GetType();
        return Exact(
            $"{field} = {plan.Add(json => Write(json, sought))}",
            !StoredTypes.IsTime(type) && StoredTypes.IsText(sought, options)
        );
    }
}
