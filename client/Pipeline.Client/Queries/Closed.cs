using System.Collections.ObjectModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq.Expressions;
using System.Reflection;

namespace Pipeline.Client.Queries;

/// <summary>
/// Evaluates the parts of an expression that need no document: constants, variables of the caller, and calls with
/// these.
/// </summary>
/// <remarks>
/// Reflection reads the usual forms, which takes less than a microsecond. The interpreter of expressions evaluates all
/// others.
/// </remarks>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates calls that expressions hold.")]
internal static class Closed
{
    /// <summary>Whether an expression names no parameter.</summary>
    public static bool IsClosed(Expression expression)
    {
        switch (expression)
        {
            case ConstantExpression:
                return true;
            case ParameterExpression:
                return false;
            case MemberExpression member:
                return member.Expression is null || IsClosed(member.Expression);
            case UnaryExpression { Operand: not LambdaExpression and { } operand }:
                return IsClosed(operand);
            case BinaryExpression { Conversion: null } binary:
                return IsClosed(binary.Left) && IsClosed(binary.Right);
            case MethodCallExpression call:
                return (call.Object is null || IsClosed(call.Object)) && AreClosed(call.Arguments);
            case NewArrayExpression array:
                return AreClosed(array.Expressions);
            default:
                var finder = new ParameterFinder();
                finder.Visit(expression);
                return !finder.IsFound;
        }
    }

    /// <summary>The value of an expression that names no parameter.</summary>
    public static bool TryEvaluate(Expression expression, out object? value)
    {
        value = null;
        if (!IsClosed(expression) || expression.Type.IsByRefLike)
            return false;
        value = Evaluate(expression);
        return true;
    }

    private static bool AreClosed(ReadOnlyCollection<Expression> expressions)
    {
        for (var i = 0; i < expressions.Count; i++)
        {
            if (!IsClosed(expressions[i]))
                return false;
        }

        return true;
    }

    private static object? Evaluate(Expression expression) =>
        expression switch
        {
            ConstantExpression constant => constant.Value,
            MemberExpression { Member: FieldInfo field } member => field.GetValue(
                member.Expression is null ? null : Evaluate(member.Expression)
            ),
            MemberExpression { Member: PropertyInfo property } member
                when member.Expression is null || !member.Expression.Type.IsValueType => property.GetValue(
                member.Expression is null ? null : Evaluate(member.Expression)
            ),
            UnaryExpression
            {
                NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked,
                Operand.Type.IsByRefLike: false
            } conversion => Converted(conversion, Evaluate(conversion.Operand)),
            NewArrayExpression { NodeType: ExpressionType.NewArrayInit } array => Elements(array),
            _ => Interpret(expression),
        };

    private static object? Interpret(Expression expression) =>
        Expression
            .Lambda(Expression.Convert(expression, typeof(object)))
            .Compile(preferInterpretation: true)
            .DynamicInvoke();

    private static object? Converted(UnaryExpression conversion, object? operand)
    {
        var (from, to) = (
            Nullable.GetUnderlyingType(conversion.Operand.Type) ?? conversion.Operand.Type,
            Nullable.GetUnderlyingType(conversion.Type) ?? conversion.Type
        );
        if (operand is not null && to == typeof(decimal) && from == typeof(int))
            return (decimal)(int)operand;
        if (operand is not null && conversion.Method is null)
        {
            if (to.IsInstanceOfType(operand))
                return operand;
            if (
                from.IsEnum && from.GetEnumUnderlyingType() == to
                || operand.GetType() == from && IsInteger(from) && IsNumber(to) && MemberPath.KeepsValue(from, to)
            )
            {
                return Convert.ChangeType(operand, to, CultureInfo.InvariantCulture);
            }
        }

        // The operand is a value by now, and is not evaluated again.
        return Interpret(conversion.Update(Expression.Constant(operand, conversion.Operand.Type)));
    }

    private static bool IsInteger(Type type) =>
        !type.IsEnum && Type.GetTypeCode(type) is >= TypeCode.SByte and <= TypeCode.UInt64;

    private static bool IsNumber(Type type) =>
        !type.IsEnum && Type.GetTypeCode(type) is >= TypeCode.SByte and <= TypeCode.Double;

    private static Array Elements(NewArrayExpression array)
    {
        var elements = Array.CreateInstance(array.Type.GetElementType()!, array.Expressions.Count);
        for (var i = 0; i < elements.Length; i++)
            elements.SetValue(Evaluate(array.Expressions[i]), i);
        return elements;
    }

    private sealed class ParameterFinder : ExpressionVisitor
    {
        private readonly HashSet<ParameterExpression> _own = [];

        public bool IsFound { get; private set; }

        protected override Expression VisitLambda<T>(Expression<T> node)
        {
            _own.UnionWith(node.Parameters);
            return base.VisitLambda(node);
        }

        protected override Expression VisitParameter(ParameterExpression node)
        {
            IsFound |= !_own.Contains(node);
            return node;
        }
    }
}
