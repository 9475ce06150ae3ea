using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json.Serialization;

namespace Pipeline.Client.Queries;

/// <summary>
/// The path of a member in a document's JSON: <c>o.ShipTo.City</c> is <c>ShipTo.City</c>, a list's elements are
/// <c>Lines[]</c>.
/// </summary>
internal static class MemberPath
{
    /// <summary>Attributes are slow to read. The table does not keep the assemblies of its members loaded.</summary>
    private static readonly ConditionalWeakTable<MemberInfo, StoredMember> Attributes = [];

    /// <summary>The path that a lambda names.</summary>
    /// <exception cref="UnsupportedExpressionException">The lambda is no path.</exception>
    public static string Of(LambdaExpression lambda, DocumentStoreOptions options) =>
        TryOf(lambda.Body, lambda.Parameters[0], options) is { Length: > 0 } path
            ? path
            : throw new UnsupportedExpressionException(
                lambda.Body.ToString(),
                "name a member, for example o => o.Customer or o => o.Lines.Select(l => l.Product)"
            );

    /// <summary>The path of an expression from a parameter.</summary>
    /// <returns>
    /// The path, empty for the parameter itself; <see langword="null"/> if the expression is something else.
    /// </returns>
    public static string? TryOf(Expression expression, ParameterExpression parameter, DocumentStoreOptions options)
    {
        switch (expression)
        {
            case ParameterExpression at:
                return at == parameter ? "" : null;
            case UnaryExpression
            {
                NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked or ExpressionType.TypeAs
            } converted when KeepsValue(converted):
                return TryOf(converted.Operand, parameter, options);
            case MemberExpression { Expression: { } owner, Member: { Name: "Value" } value }
                when Nullable.GetUnderlyingType(value.DeclaringType!) is not null:
                return TryOf(owner, parameter, options);
            case MemberExpression { Expression: { } owner } member when IsStored(owner.Type, member.Member):
                return TryOf(owner, parameter, options) is { } path ? Join(path, NameOf(member.Member, options)) : null;
            case MethodCallExpression
            {
                Method.Name: "get_Item",
                Object: { } owner,
                Arguments: [ConstantExpression { Value: string { Length: > 0 } text }]
            }:
                // The keys of a dictionary are members of its object.
                return
                    text.AsSpan().IndexOfAny('.', '[') < 0
                    && TryOf(owner, parameter, options) is { Length: > 0 } dictionary
                    ? Join(dictionary, options.Serializer.DictionaryKeyPolicy?.ConvertName(text) ?? text)
                    : null;
            case MethodCallExpression { Method: { Name: "Select" or "SelectMany", DeclaringType: var type } } call
                when type == typeof(Enumerable) && call.Arguments.Count == 2:
                return
                    TryOf(call.Arguments[0], parameter, options) is { } list
                    && Lambda(call.Arguments[1]) is { } inner
                    && TryOf(inner.Body, inner.Parameters[0], options) is { } rest
                    ? Join(list + "[]", rest)
                    : null;
            default:
                return null;
        }
    }

    /// <summary>Whether a conversion keeps the number. One that drops digits has no counterpart in a query.</summary>
    public static bool KeepsValue(UnaryExpression conversion) =>
        KeepsValue(
            Nullable.GetUnderlyingType(conversion.Operand.Type) ?? conversion.Operand.Type,
            Nullable.GetUnderlyingType(conversion.Type) ?? conversion.Type
        );

    /// <summary>Whether a conversion between types that are not nullable keeps the number.</summary>
    public static bool KeepsValue(Type from, Type to) =>
        from == to
        || !from.IsPrimitive && from != typeof(decimal)
        || !to.IsPrimitive && to != typeof(decimal)
        || (
            IsUnsigned(from) == IsUnsigned(to)
                ? Digits(from) <= Digits(to)
                : IsUnsigned(from) && Digits(from) < Digits(to)
        );

    private static bool IsUnsigned(Type number) =>
        Type.GetTypeCode(number)
            is TypeCode.Byte
                or TypeCode.UInt16
                or TypeCode.UInt32
                or TypeCode.UInt64
                or TypeCode.Char;

    /// <summary>
    /// Whether a document stores the member. The length of a text and the year of a date are computed.
    /// </summary>
    public static bool IsStored(Type owner, MemberInfo member) =>
        owner.Namespace
            is not (
                "System"
                or "System.Collections"
                or "System.Collections.Generic"
                or "System.Collections.Immutable"
                or "System.Collections.ObjectModel"
            )
        && !owner.IsArray
        && !Attributes.GetValue(member, Read).IsIgnored;

    private static int Digits(Type number) =>
        Type.GetTypeCode(number) switch
        {
            TypeCode.SByte or TypeCode.Byte => 8,
            TypeCode.Int16 or TypeCode.UInt16 or TypeCode.Char => 16,
            TypeCode.Int32 or TypeCode.UInt32 => 32,
            TypeCode.Int64 or TypeCode.UInt64 => 64,
            TypeCode.Single => 65,
            TypeCode.Double => 67,
            TypeCode.Decimal => 66,
            _ => 0,
        };

    /// <summary>A member's name in JSON.</summary>
    public static string NameOf(MemberInfo member, DocumentStoreOptions options) =>
        Attributes.GetValue(member, Read).Name
        ?? options.Serializer.PropertyNamingPolicy?.ConvertName(member.Name)
        ?? member.Name;

    /// <summary>The lambda of an argument.</summary>
    public static LambdaExpression? Lambda(Expression argument) =>
        argument switch
        {
            LambdaExpression lambda => lambda,
            UnaryExpression { NodeType: ExpressionType.Quote, Operand: LambdaExpression lambda } => lambda,
            _ => null,
        };

    private static StoredMember Read(MemberInfo member) =>
        new(
            member.GetCustomAttribute<JsonPropertyNameAttribute>()?.Name,
            member.GetCustomAttribute<JsonIgnoreAttribute>() is { Condition: JsonIgnoreCondition.Always }
        );

    /// <summary>What a member's attributes say of its place in a document.</summary>
    private sealed record StoredMember(string? Name, bool IsIgnored);

    private static string Join(string path, string name) =>
        path.Length == 0 ? name
        : name.Length == 0 ? path
        : $"{path}.{name}";

    /// <summary>The list behind the span that C# passes to a call.</summary>
    public static Expression Unspanned(Expression list) =>
        list switch
        {
            MethodCallExpression { Method.Name: "op_Implicit", Arguments: [var source] } => source,
            UnaryExpression { NodeType: ExpressionType.Convert, Operand: var source } when list.Type.IsByRefLike =>
                source,
            _ => list,
        };
}
