using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Text.Json;
using Pipeline.Client.Conventions;
using Pipeline.Client.Queries;

namespace Pipeline.Client.Subscriptions;

/// <summary>Writes a lambda as the query of a subscription, which the database evaluates for each document.</summary>
/// <remarks>
/// Unlike a query of an index, it may compute: documents are tested one by one, so any two values can be compared.
/// </remarks>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
internal sealed partial class FilterQuery
{
    private const string Alias = "doc";
    private const string WayRound =
        "write the condition in SubscriptionOptions.Filter or Query, or test the document in the handler";
    private readonly DocumentStoreOptions _options;
    private readonly string? _idName;
    private readonly ParameterExpression _document;
    private readonly Dictionary<ParameterExpression, string> _names = [];
    private int _made;

    private FilterQuery(LambdaExpression filter, DocumentModel model, DocumentStoreOptions options, string document)
    {
        (_options, _idName, _document) = (options, model.IdName, filter.Parameters[0]);
        _names[_document] = document;
    }

    /// <summary>The query for the documents of a class for which a lambda is true.</summary>
    /// <param name="filter">The lambda.</param>
    /// <param name="model">The class's conventions.</param>
    /// <param name="options">The store's options.</param>
    /// <param name="isOfVersions">Whether each version is tested together with the one before.</param>
    /// <exception cref="UnsupportedExpressionException">A part has no counterpart.</exception>
    public static string Of(
        LambdaExpression filter,
        DocumentModel model,
        DocumentStoreOptions options,
        bool isOfVersions
    )
    {
        if (filter.Parameters.Count != 1 || filter.ReturnType != typeof(bool))
        {
            throw Unsupported(
                filter,
                "a filter takes one document and is true or false, for example (Order o) => o.Total > 1000"
            );
        }

        var condition = new FilterQuery(filter, model, options, isOfVersions ? Alias + ".Current" : Alias).Condition(
            filter.Body
        );
        return $"from {Rql.Text(model.Collection)} as {Alias} where {condition}";
    }

    private string Condition(Expression expression)
    {
        expression = Stripped(expression);
        if (Closed.IsClosed(expression))
            return Literal(expression) == "true" ? "1 = 1" : "1 = 0";
        return expression switch
        {
            BinaryExpression { NodeType: ExpressionType.AndAlso or ExpressionType.And } both =>
                $"({Condition(both.Left)} and {Condition(both.Right)})",
            BinaryExpression { NodeType: ExpressionType.OrElse or ExpressionType.Or } either =>
                $"({Condition(either.Left)} or {Condition(either.Right)})",
            UnaryExpression { NodeType: ExpressionType.Not } not => $"(not {Condition(not.Operand)})",
            BinaryExpression
            {
                NodeType: ExpressionType.Equal
                    or ExpressionType.NotEqual
                    or ExpressionType.LessThan
                    or ExpressionType.LessThanOrEqual
                    or ExpressionType.GreaterThan
                    or ExpressionType.GreaterThanOrEqual
            } compared => Comparison(compared, compared.NodeType, compared.Left, compared.Right),
            ConditionalExpression choice =>
                $"(({Condition(choice.Test)} and {Condition(choice.IfTrue)}) or (not {Condition(choice.Test)} and {Condition(choice.IfFalse)}))",
            MemberExpression { Member: { Name: "HasValue" } value, Expression: { } owner }
                when Nullable.GetUnderlyingType(value.DeclaringType!) is not null => $"({Write(owner)} != null)",
            MethodCallExpression call => Test(call),
            MemberExpression
            or ParameterExpression
            or UnaryExpression
            or BinaryExpression { NodeType: ExpressionType.Coalesce or ExpressionType.ArrayIndex } =>
                $"({Write(expression)} = true)",
            _ => throw Unsupported(expression, WayRound),
        };
    }

    private string Comparison(Expression whole, ExpressionType kind, Expression first, Expression second)
    {
        var (left, right) = (Stripped(first), Stripped(second));
        // The language takes a text on the left for the name of a field.
        if (Closed.IsClosed(left))
            (left, right, kind) = (right, left, Flip(kind));
        var type = Bare(left.Type);
        if (left.Type == typeof(bool) && kind is ExpressionType.Equal or ExpressionType.NotEqual && IsTest(left))
            return Equality(kind, $"({Condition(left)} ? true : false)", Side(right, type), type);
        if (
            type == typeof(float)
            && Closed.TryEvaluate(right, out var wide)
            && wide is double number
            && (float)number != number
        )
        {
            throw Unsupported(
                whole,
                "the member is a float, and the value has more digits than a float; compare with a float, for example 0.1f"
            );
        }

        var (a, b) = (Write(left), Side(right, type));
        if (kind is ExpressionType.Equal or ExpressionType.NotEqual)
            return Equality(kind, a, b, type);
        if (type.IsEnum && StoredTypes.FormOf(type, _options) is null || type == typeof(TimeSpan))
        {
            throw Unsupported(
                whole,
                $"{type.Name} is stored as a text, which has another order; list the values with Contains"
            );
        }

        return b == "null" ? "1 = 0" : $"({a} {Sign(kind)} {b})";
    }

    /// <summary>Times are equal as points in time, however their texts are written.</summary>
    private static string Equality(ExpressionType kind, string a, string b, Type type)
    {
        var equal =
            StoredTypes.IsTime(type) && b != "null" ? $"({a} = {b} or ({a} >= {b} and {a} <= {b}))" : $"({a} = {b})";
        return kind == ExpressionType.Equal ? equal : $"(not {equal})";
    }

    /// <summary>
    /// The right side. C# compares enums and characters as numbers, but documents have them as the serializer writes
    /// them.
    /// </summary>
    private string Side(Expression side, Type type) =>
        type.IsEnum || type == typeof(char)
            ? Closed.TryEvaluate(side, out var value)
                ? Literal(value is null ? null : StoredTypes.Typed(type, value), side)
                : Write(side)
            : Write(side);

    /// <summary>A value that can stand in a comparison, a call or a list.</summary>
    private string Write(Expression expression)
    {
        expression = Stripped(expression);
        if (expression is not LambdaExpression && Closed.IsClosed(expression))
            return Literal(expression);
        switch (expression)
        {
            case ParameterExpression parameter:
                return NameOf(parameter);
            case LambdaExpression lambda:
                return Lambda(lambda);
            case MemberExpression member:
                return Member(member);
            case UnaryExpression { NodeType: ExpressionType.Negate or ExpressionType.NegateChecked } negative
                when IsNumber(negative.Type):
                return $"(-{Write(negative.Operand)})";
            case UnaryExpression { NodeType: ExpressionType.ArrayLength } length:
                return $"{Write(length.Operand)}.length";
            case ConditionalExpression choice:
                return $"({Condition(choice.Test)} ? {Write(choice.IfTrue)} : {Write(choice.IfFalse)})";
            case BinaryExpression { NodeType: ExpressionType.Coalesce, Conversion: null } either:
                var first = Write(either.Left);
                return $"({first} != null ? {first} : {Write(either.Right)})";
            case BinaryExpression { NodeType: ExpressionType.ArrayIndex } element:
                return $"{Write(element.Left)}[{Write(element.Right)}]";
            case BinaryExpression arithmetic when Operator(arithmetic) is { } sign:
                return $"({Write(arithmetic.Left)} {sign} {Write(arithmetic.Right)})";
            case MethodCallExpression call when Value(call) is { } value:
                return value;
            default:
                return IsTest(expression)
                    ? $"({Condition(expression)} ? true : false)"
                    : throw Unsupported(expression, WayRound);
        }
    }

    private static string? Operator(BinaryExpression arithmetic)
    {
        var isText = arithmetic.Type == typeof(string);
        if (!isText && !IsNumber(arithmetic.Type))
            return null;
        if (
            arithmetic.NodeType == ExpressionType.Divide
            && Bare(arithmetic.Type) is var type
            && type != typeof(decimal)
            && type != typeof(double)
            && type != typeof(float)
        )
        {
            throw Unsupported(
                arithmetic,
                "whole numbers are divided without being cut in the database; multiply the other side instead"
            );
        }

        return arithmetic.NodeType switch
        {
            ExpressionType.Add or ExpressionType.AddChecked => "+",
            ExpressionType.Subtract or ExpressionType.SubtractChecked => "-",
            ExpressionType.Multiply or ExpressionType.MultiplyChecked => "*",
            ExpressionType.Divide => "/",
            ExpressionType.Modulo => "%",
            _ => null,
        };
    }

    private string Member(MemberExpression member)
    {
        if (member.Expression is not { } owner)
            throw Unsupported(member, WayRound);
        if (Nullable.GetUnderlyingType(owner.Type) is not null)
            return member.Member.Name == "Value" ? Write(owner) : $"({Condition(member)} ? true : false)";
        if (member.Member.Name is "Length" or "Count" && (owner.Type == typeof(string) || IsList(owner.Type)))
            return $"{Write(owner)}.length";
        if (!MemberPath.IsStored(owner.Type, member.Member))
            throw Unsupported(member, "a document stores no such member; " + WayRound);
        var name = MemberPath.NameOf(member.Member, _options);
        return Stripped(owner) == _document && name == _idName
            ? "id()"
            : Write(owner)
                + (
                    Rql.IsPath(name) && !name.Contains('.', StringComparison.Ordinal)
                        ? "." + name
                        : $"[{Rql.Text(name)}]"
                );
    }

    private string Lambda(LambdaExpression lambda)
    {
        foreach (var parameter in lambda.Parameters)
            _names[parameter] = string.Create(System.Globalization.CultureInfo.InvariantCulture, $"x{++_made}");
        var name = string.Join(", ", lambda.Parameters.Select(NameOf));
        return $"{(lambda.Parameters.Count == 1 ? name : $"({name})")} => {(lambda.ReturnType == typeof(bool) ? Condition(lambda.Body) : Write(lambda.Body))}";
    }

    private string NameOf(ParameterExpression parameter) =>
        _names.TryGetValue(parameter, out var name) ? name : throw Unsupported(parameter, WayRound);

    private string Literal(Expression expression) =>
        TimeDependence.Find(expression) is { } member
            ? throw Unsupported(expression, $"{member} would be the time of the creation; test it in the handler")
        : Closed.TryEvaluate(expression, out var value) ? Literal(value, expression)
        : throw Unsupported(expression, WayRound);

    /// <summary>A value as the serializer writes it.</summary>
    private string Literal(object? value, Expression expression)
    {
        var json = value is null
            ? default
            : JsonSerializer.SerializeToElement(value, value.GetType(), _options.Serializer);
        return json.ValueKind switch
        {
            JsonValueKind.String => Rql.Text(json.GetString()!),
            JsonValueKind.Undefined or JsonValueKind.Null => "null",
            JsonValueKind.Number or JsonValueKind.True or JsonValueKind.False => json.GetRawText(),
            _ => throw Unsupported(
                expression,
                $"a filter holds texts, numbers, truth values, dates, enums and lists of these, not a {value!.GetType().Name}"
            ),
        };
    }

    private static bool IsTest(Expression expression) =>
        expression
            is BinaryExpression { NodeType: not ExpressionType.Coalesce and not ExpressionType.ArrayIndex }
                or UnaryExpression { NodeType: ExpressionType.Not }
                or MethodCallExpression
        && expression.Type == typeof(bool);

    private static bool IsNumber(Type type) =>
        Bare(type) is { IsEnum: false } bare && Type.GetTypeCode(bare) is >= TypeCode.SByte and <= TypeCode.Decimal;

    private static bool IsList(Type type) =>
        type.IsAssignableTo(typeof(System.Collections.IEnumerable))
        && type != typeof(string)
        && !type.IsAssignableTo(typeof(System.Collections.IDictionary))
        && !type.GetInterfaces()
            .Append(type)
            .Any(i =>
                i.IsGenericType
                && i.GetGenericTypeDefinition() is var kind
                && (kind == typeof(IReadOnlyDictionary<,>) || kind == typeof(IDictionary<,>))
            );

    private static Type Bare(Type type) => Nullable.GetUnderlyingType(type) ?? type;

    /// <summary>The expression without conversions that keep the value.</summary>
    private static Expression Stripped(Expression expression) =>
        expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } converted
        && MemberPath.KeepsValue(converted)
        && !Closed.IsClosed(converted)
            ? Stripped(converted.Operand)
            : expression;

    private static string Sign(ExpressionType kind) =>
        kind switch
        {
            ExpressionType.LessThan => "<",
            ExpressionType.LessThanOrEqual => "<=",
            ExpressionType.GreaterThan => ">",
            _ => ">=",
        };

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
        new(expression.ToString(), reason, "a subscription's filter");
}
