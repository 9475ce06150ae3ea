using System.Linq.Expressions;
using Pipeline.Client.Queries;

namespace Pipeline.Client.Subscriptions;

/// <content>Calls of methods.</content>
internal sealed partial class FilterQuery
{
    /// <summary>A call that is true or false.</summary>
    private string Test(MethodCallExpression call)
    {
        var (name, type, arguments) = (call.Method.Name, call.Method.DeclaringType, call.Arguments);
        if (name == nameof(Equals) && (call.Object is null ? arguments.Count >= 2 : arguments.Count >= 1))
        {
            return Same(
                call,
                call.Object ?? arguments[0],
                call.Object is null ? arguments[1] : arguments[0],
                arguments.Skip(call.Object is null ? 2 : 1).FirstOrDefault()
            );
        }

        if (type == typeof(string))
            return TextTest(call);
        if (name == nameof(DocumentQueryable.In) && type == typeof(DocumentQueryable))
            return In(call, arguments[0], arguments[1]);
        if (
            name == nameof(Enumerable.Contains)
            && (call.Object ?? MemberPath.Unspanned(arguments[0])) is { } list
            && (call.Object is null ? arguments.ElementAtOrDefault(1) : arguments[0]) is { } element
            && IsList(list.Type)
        )
        {
            return Closed.IsClosed(list)
                ? In(call, element, list)
                : $"({Write(list)}.includes({Write(element)}) = true)";
        }

        if (
            type == typeof(Enumerable)
            && name is nameof(Enumerable.Any) or nameof(Enumerable.All)
            && IsList(arguments[0].Type)
        )
        {
            return arguments.Count == 1
                ? $"({Write(arguments[0])}.length > 0)"
                : $"({Write(arguments[0])}.{(name == nameof(Enumerable.Any) ? "some" : "every")}({Write(arguments[1])}) = true)";
        }

        return Value(call) is { } value ? $"({value} = true)" : throw Unsupported(call, WayRound);
    }

    private string TextTest(MethodCallExpression call)
    {
        var (name, arguments) = (call.Method.Name, call.Arguments);
        if (call.Object is null)
        {
            var tested = arguments.Count == 1 ? Write(arguments[0]) : throw Unsupported(call, WayRound);
            return name switch
            {
                nameof(string.IsNullOrEmpty) => $"({tested} = null or {tested} = '')",
                nameof(string.IsNullOrWhiteSpace) => $"({tested} = null or {tested}.trim() = '')",
                _ => throw Unsupported(call, WayRound),
            };
        }

        var function = name switch
        {
            nameof(string.StartsWith) => "startsWith",
            nameof(string.EndsWith) => "endsWith",
            nameof(string.Contains) => "includes",
            _ => throw Unsupported(call, WayRound),
        };
        var (text, part) = (Write(call.Object), Stored(arguments[0]));
        return IsWithCase(call, arguments.ElementAtOrDefault(1))
            ? $"({text}.{function}({part}) = true)"
            : $"({text}.toLowerCase().{function}({part}.toLowerCase()) = true)";
    }

    private string Same(MethodCallExpression call, Expression a, Expression b, Expression? comparison)
    {
        if (IsWithCase(call, comparison))
            return Comparison(call, ExpressionType.Equal, a, b);
        if (Closed.IsClosed(a))
            (a, b) = (b, a);
        return Closed.TryEvaluate(b, out var value) && value is null
            ? $"({Write(a)} = null)"
            : $"({Write(a)}.toLowerCase() = {Write(b)}.toLowerCase())";
    }

    private static bool IsWithCase(Expression call, Expression? comparison) =>
        comparison is null
        || (
            Closed.TryEvaluate(comparison, out var value)
            && value switch
            {
                StringComparison.Ordinal or StringComparison.CurrentCulture or StringComparison.InvariantCulture =>
                    true,
                StringComparison => false,
                _ => throw Unsupported(
                    call,
                    "give a StringComparison that is known before the subscription is created"
                ),
            }
        );

    private string In(Expression whole, Expression member, Expression list)
    {
        if (!Closed.TryEvaluate(list, out var values) || values is not System.Collections.IEnumerable items)
            throw Unsupported(whole, "the list must be known before the subscription is created");
        member = Stripped(member);
        var (field, type) = (Write(member), Bare(member.Type));
        List<string> known =
        [
            .. items.Cast<object?>().Select(v => Literal(v is null ? null : StoredTypes.Typed(type, v), whole)),
        ];
        if (known.Count == 0)
            return "1 = 0";
        return StoredTypes.IsTime(type)
            ? $"({string.Join(" or ", known.Select(k => Equality(ExpressionType.Equal, field, k, type)))})"
            : $"({field} in ({string.Join(", ", known)}))";
    }

    /// <summary>The value of a call; <see langword="null"/> if it has no counterpart.</summary>
    private string? Value(MethodCallExpression call)
    {
        var (name, type, arguments) = (call.Method.Name, call.Method.DeclaringType, call.Arguments);
        if (type == typeof(Enumerable))
            return Sequence(name, arguments);
        if (name == "get_Item" && call.Object is { } owner && arguments.Count == 1)
            return $"{Write(owner)}[{(IsList(owner.Type) ? Write(arguments[0]) : Key(arguments[0]))}]";
        if (name == nameof(Nullable<>.GetValueOrDefault) && call.Object is { } nullable && Write(nullable) is var given)
            return $"({given} != null ? {given} : {(arguments.Count == 1 ? Write(arguments[0]) : Literal(Activator.CreateInstance(Bare(nullable.Type)), call))})";
        if (type == typeof(Math) && name == nameof(Math.Abs))
            return $"Math.abs({Write(arguments[0])})";
        if (type != typeof(string) || call.Object is null)
            return null;
        var text = Write(call.Object);
        return (name, arguments.Count) switch
        {
            (nameof(string.ToLower) or nameof(string.ToLowerInvariant), 0) => $"{text}.toLowerCase()",
            (nameof(string.ToUpper) or nameof(string.ToUpperInvariant), 0) => $"{text}.toUpperCase()",
            (nameof(string.Trim), 0) => $"{text}.trim()",
            (nameof(string.Substring), 1 or 2) => $"{text}.substr({string.Join(", ", arguments.Select(Write))})",
            (nameof(string.Replace), 2) => $"{text}.replaceAll({string.Join(", ", arguments.Select(Stored))})",
            (nameof(string.IndexOf), 1) => $"{text}.indexOf({Stored(arguments[0])})",
            _ => null,
        };
    }

    /// <summary>The key of a dictionary, which is the name of a member in a document.</summary>
    private string Key(Expression key) =>
        Closed.TryEvaluate(key, out var value)
        && Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture) is { } text
            ? Rql.Text(value is string ? _options.Serializer.DictionaryKeyPolicy?.ConvertName(text) ?? text : text)
            : Write(key);

    private string? Sequence(string name, System.Collections.ObjectModel.ReadOnlyCollection<Expression> arguments)
    {
        if (!IsList(arguments[0].Type))
            return null;
        var list = Write(arguments[0]);
        return (name, arguments.Count) switch
        {
            (nameof(Enumerable.Count) or nameof(Enumerable.LongCount), 1) => $"{list}.length",
            (nameof(Enumerable.Count) or nameof(Enumerable.LongCount), 2) =>
                $"{list}.filter({Write(arguments[1])}).length",
            (nameof(Enumerable.Where), 2) => $"{list}.filter({Write(arguments[1])})",
            (nameof(Enumerable.Select), 2) => $"{list}.map({Write(arguments[1])})",
            (nameof(Enumerable.SelectMany), 2) => $"{list}.flatMap({Write(arguments[1])})",
            (nameof(Enumerable.Sum), 1) => $"{list}.reduce((a, b) => a + b, 0)",
            (nameof(Enumerable.Sum), 2) => $"{list}.map({Write(arguments[1])}).reduce((a, b) => a + b, 0)",
            (nameof(Enumerable.First) or nameof(Enumerable.FirstOrDefault), 1) => $"{list}[0]",
            (nameof(Enumerable.First) or nameof(Enumerable.FirstOrDefault), 2) => $"{list}.find({Write(arguments[1])})",
            (nameof(Enumerable.ToList) or nameof(Enumerable.ToArray) or nameof(Enumerable.AsEnumerable), 1) => list,
            _ => null,
        };
    }

    /// <summary>A text or a character as a text.</summary>
    private string Stored(Expression text) =>
        Closed.TryEvaluate(text, out var value) && value is char letter ? Rql.Text(letter.ToString()) : Write(text);
}
