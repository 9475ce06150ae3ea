using System.Linq.Expressions;
using System.Reflection;

namespace Pipeline.Client.Tests.Generated;

/// <summary>
/// A condition in two forms: for the client, and for memory, where a member of a null must be null as in a document.
/// </summary>
/// <param name="Query">For the client.</param>
/// <param name="Memory">For LINQ to objects.</param>
/// <param name="Unsupported">
/// A form that has no counterpart; <see langword="null"/> if the client must accept the condition.
/// </param>
internal readonly record struct Condition(Expression Query, Expression Memory, string? Unsupported = null);

/// <summary>Makes conditions of every form on the members of a class, from its type.</summary>
internal sealed class GeneratedConditions(Random random, GeneratedObjects values)
{
    private static readonly ExpressionType[] Comparisons =
    [
        ExpressionType.Equal,
        ExpressionType.NotEqual,
        ExpressionType.LessThan,
        ExpressionType.LessThanOrEqual,
        ExpressionType.GreaterThan,
        ExpressionType.GreaterThanOrEqual,
    ];

    /// <summary>A condition on an object.</summary>
    public Condition Make(ParameterExpression parameter, int depth)
    {
        if (depth == 0 || random.Next(3) == 0)
            return Leaf(parameter, isElement: false);
        var left = Make(parameter, depth - 1);
        if (random.Next(4) == 0)
            return new Condition(Expression.Not(left.Query), Expression.Not(left.Memory), left.Unsupported);
        return Both(left, Make(parameter, depth - 1), random.Next(2) == 0);
    }

    private static Condition Both(Condition a, Condition b, bool isAnd) =>
        isAnd
            ? new Condition(
                Expression.AndAlso(a.Query, b.Query),
                Expression.AndAlso(a.Memory, b.Memory),
                a.Unsupported ?? b.Unsupported
            )
            : new Condition(
                Expression.OrElse(a.Query, b.Query),
                Expression.OrElse(a.Memory, b.Memory),
                a.Unsupported ?? b.Unsupported
            );

    private Condition Leaf(ParameterExpression parameter, bool isElement)
    {
        var (query, memory) = ((Expression)parameter, (Expression)parameter);
        Condition? guard = null;
        for (var depth = 0; ; depth++)
        {
            if (Scalar(query.Type) || ElementOf(query.Type) is not null)
                break;
            if (depth > 0 && random.Next(4) == 0)
                return Nullity(query, memory, isElement);
            if (depth > 0 && !isElement && random.Next(3) == 0)
            {
                guard = new Condition(
                    Expression.NotEqual(query, Expression.Constant(null, query.Type)),
                    Expression.NotEqual(memory, Expression.Constant(null, memory.Type))
                );
            }

            PropertyInfo[] properties =
            [
                .. query
                    .Type.GetProperties()
                    .Where(p => p.GetIndexParameters().Length == 0 && p.Name != "EqualityContract"),
            ];
            var property = values.One(properties);
            (memory, query) = (Safe(memory, property), Expression.Property(query, property));
        }

        var leaf = ElementOf(query.Type) is { } element
            ? OfList(query, memory, element, isElement)
            : OfScalar(query, memory, isElement);
        return guard is { } known ? Both(known, leaf, isAnd: true) : leaf;
    }

    /// <summary>A member, or null if its owner is null.</summary>
    private static Expression Safe(Expression owner, PropertyInfo property)
    {
        var member = Expression.Property(owner, property);
        if (owner is ParameterExpression)
            return member;
        var type = Lifted(property.PropertyType);
        return Expression.Condition(
            Expression.Equal(owner, Expression.Constant(null, owner.Type)),
            Expression.Default(type),
            Expression.Convert(member, type)
        );
    }

    private Condition Nullity(Expression query, Expression memory, bool isElement)
    {
        var isEqual = isElement || random.Next(2) == 0;
        return new Condition(Null(query), Null(memory), isElement ? "a null within Any" : null);

        Expression Null(Expression of) =>
            isEqual
                ? Expression.Equal(of, Expression.Constant(null, of.Type))
                : Expression.NotEqual(of, Expression.Constant(null, of.Type));
    }

    private Condition OfScalar(Expression query, Expression memory, bool isElement)
    {
        var type = Nullable.GetUnderlyingType(query.Type) ?? query.Type;
        var isNullable = !query.Type.IsValueType || Nullable.GetUnderlyingType(query.Type) is not null;
        if (query is MemberExpression { Member.Name: "Id" })
            return OfId(query, memory);
        if (isNullable && random.Next(10) == 0)
            return Nullity(query, memory, isElement);
        if (Nullable.GetUnderlyingType(query.Type) is not null && random.Next(8) == 0)
        {
            return new Condition(
                Expression.Property(query, "HasValue"),
                Expression.NotEqual(memory, Expression.Constant(null, memory.Type)),
                isElement ? "HasValue within Any" : null
            );
        }

        switch (random.Next(5))
        {
            case 0:
                return OneOf(query, memory, type, isElement);
            case 1 or 2 or 3 when type == typeof(string):
                return OfText(query, memory, isElement);
            case 1 when query.Type == typeof(bool):
                return new Condition(query, Expression.Equal(Lift(memory), Expression.Constant(true, typeof(bool?))));
        }

        var value = values.Of(type);
        var kind = values.One(type == typeof(string) || type == typeof(bool) ? Comparisons[..2] : Comparisons);
        if (isElement && kind == ExpressionType.NotEqual && random.Next(10) > 0)
            kind = ExpressionType.Equal;
        var isOrdered = kind is not (ExpressionType.Equal or ExpressionType.NotEqual);
        var unsupported = isElement && kind == ExpressionType.NotEqual ? "!= within Any" : null;
        if (isOrdered && (type.IsEnum || type == typeof(TimeSpan) || type == typeof(char)))
        {
            if (random.Next(15) > 0)
                (kind, isOrdered) = (ExpressionType.Equal, false);
            else
                unsupported = $"order of {type.Name}";
        }

        var (left, right) = AsCompiled(query, type, value);
        if (isOrdered && type == typeof(Guid))
            (kind, unsupported) = (ExpressionType.Equal, isElement ? unsupported : null);
        var asked =
            random.Next(4) == 0
                ? Expression.MakeBinary(Flip(kind), Known(right), left)
                : Expression.MakeBinary(kind, left, Known(right));
        var (safe, constant) = AsCompiled(Lift(memory), type, value);
        return new Condition(asked, Expression.MakeBinary(kind, safe, constant), unsupported);
    }

    /// <summary>Both sides of a comparison with the conversions that the C# compiler writes.</summary>
    private static (Expression Left, ConstantExpression Right) AsCompiled(Expression member, Type type, object value)
    {
        var isNullable = Nullable.GetUnderlyingType(member.Type) is not null;
        var compared =
            type.IsEnum || type == typeof(char) || type == typeof(byte) || type == typeof(short) ? typeof(int) : type;
        var known =
            type.IsEnum ? Convert.ToInt32(value)
            : compared == type ? value
            : Convert.ChangeType(value, compared, System.Globalization.CultureInfo.InvariantCulture);
        var asked = isNullable ? Lifted(compared) : compared;
        return (asked == member.Type ? member : Expression.Convert(member, asked), Expression.Constant(known, asked));
    }

    private Condition OfId(Expression query, Expression memory)
    {
        var id = values.One(["parcels/003", "people/001", "readings/007", "parcels/", "x"]);
        var start = typeof(string).GetMethod(nameof(string.StartsWith), [typeof(string), typeof(StringComparison)])!;
        return random.Next(3) switch
        {
            0 => new Condition(
                Expression.Equal(query, Expression.Constant(id)),
                Expression.Equal(memory, Expression.Constant(id))
            ),
            1 => new Condition(
                Expression.NotEqual(query, Known(Expression.Constant(id))),
                Expression.NotEqual(memory, Expression.Constant(id))
            ),
            _ => new Condition(
                Expression.Call(query, start, Expression.Constant(id), Expression.Constant(StringComparison.Ordinal)),
                Expression.Call(memory, start, Expression.Constant(id), Expression.Constant(StringComparison.Ordinal))
            ),
        };
    }

    private Condition OneOf(Expression query, Expression memory, Type type, bool isElement)
    {
        var sought = Array.CreateInstance(query.Type, random.Next(4));
        var hasNull = false;
        for (var i = 0; i < sought.Length; i++)
        {
            var isNull = query.Type != type || type == typeof(string) ? random.Next(6) == 0 : false;
            hasNull |= isNull;
            sought.SetValue(isNull ? null : values.Of(type), i);
        }

        var list = Known(Expression.Constant(sought));
        var contains = Method(typeof(Enumerable), nameof(Enumerable.Contains), 2);
        var asked =
            random.Next(2) == 0
                ? Expression.Call(contains.MakeGenericMethod(query.Type), list, query)
                : Expression.Call(
                    typeof(DocumentQueryable).GetMethod(nameof(DocumentQueryable.In))!.MakeGenericMethod(query.Type),
                    query,
                    list
                );
        var lifted = Lift(memory);
        var known = Array.CreateInstance(lifted.Type, sought.Length);
        for (var i = 0; i < sought.Length; i++)
            known.SetValue(sought.GetValue(i), i);
        return new Condition(
            asked,
            Expression.Call(contains.MakeGenericMethod(lifted.Type), Expression.Constant(known), lifted),
            isElement && hasNull ? "a null within Any" : null
        );
    }

    private Condition OfText(Expression query, Expression memory, bool isElement)
    {
        var text = values.Text();
        if (text.Length > 500)
            text = text[..100];
        else if (random.Next(2) == 0 && text.Length > 1)
            text = random.Next(2) == 0 ? text[..1] : text[^1..];
        if (text.Any(char.IsSurrogate))
            text = "😀";
        if (random.Next(8) == 0)
        {
            var test = typeof(string).GetMethod(nameof(string.IsNullOrEmpty))!;
            return new Condition(
                Expression.Call(test, query),
                Expression.Call(test, memory),
                isElement ? "a null within Any" : null
            );
        }

        var name = values.One([
            nameof(string.StartsWith),
            nameof(string.EndsWith),
            nameof(string.Contains),
            nameof(string.Equals),
        ]);
        var comparison = values.One<StringComparison?>([
            null,
            StringComparison.Ordinal,
            StringComparison.OrdinalIgnoreCase,
        ]);
        // Of a text of more than 512 bytes the index has a beginning and a hash in hexadecimal digits.
        if (name is nameof(string.EndsWith) or nameof(string.Contains) && text.All(char.IsAsciiHexDigit))
            name = nameof(string.StartsWith);
        // The two ways to ignore case differ for few letters. Texts that are dates are in the index with a 't' before
        // the time.
        if (
            comparison == StringComparison.OrdinalIgnoreCase
            && (text.Any(c => c is 'İ' or 'ß' or '\uFB01') || text is "t" or "T")
        )
        {
            comparison = StringComparison.Ordinal;
        }

        if (name != nameof(string.Equals))
            comparison ??= StringComparison.Ordinal;
        Expression[] arguments = comparison is { } known
            ? [Known(Expression.Constant(text)), Expression.Constant(known)]
            : [Known(Expression.Constant(text))];
        var method = typeof(string).GetMethod(name, [.. arguments.Select(a => a.Type)])!;
        return new Condition(
            Expression.Call(query, method, arguments),
            Expression.AndAlso(
                Expression.NotEqual(memory, Expression.Constant(null, typeof(string))),
                Expression.Call(memory, method, arguments)
            ),
            isElement && text.Length == 0 && name != nameof(string.Equals) ? "an empty text within Any" : null
        );
    }

    private Condition OfList(Expression query, Expression memory, Type element, bool isElement)
    {
        var isThere = Expression.NotEqual(memory, Expression.Constant(null, memory.Type));
        if (Scalar(element) && random.Next(3) > 0)
        {
            var method = Method(typeof(Enumerable), nameof(Enumerable.Contains), 2).MakeGenericMethod(element);
            var isNull = element == typeof(string) && random.Next(8) == 0;
            var value = Expression.Constant(isNull ? null : values.Of(element), element);
            return new Condition(
                Expression.Call(method, query, Known(value)),
                Expression.AndAlso(isThere, Expression.Call(method, memory, value)),
                isNull ? "Contains(null)" : null
            );
        }

        var any = Method(typeof(Enumerable), nameof(Enumerable.Any), 2).MakeGenericMethod(element);
        var parameter = Expression.Parameter(element, "e" + random.Next(100));
        var test = Scalar(element) ? OfScalar(parameter, parameter, isElement: true) : Leaf(parameter, isElement: true);
        if (!Scalar(element))
        {
            test = random.Next(20) switch
            {
                < 5 => Both(test, Leaf(parameter, isElement: true), isAnd: false),
                5 => Both(test, Leaf(parameter, isElement: true), isAnd: true) with
                {
                    Unsupported = "two conditions on one element",
                },
                6 => test with
                {
                    Query = Expression.Not(test.Query),
                    Memory = Expression.Not(test.Memory),
                    Unsupported = "! within Any",
                },
                _ => test,
            };
        }

        return new Condition(
            Expression.Call(any, query, Expression.Lambda(test.Query, parameter)),
            Expression.AndAlso(isThere, Expression.Call(any, memory, Expression.Lambda(test.Memory, parameter))),
            test.Unsupported
        );
    }

    /// <summary>A value as a constant, or as a variable that the lambda holds.</summary>
    private Expression Known(ConstantExpression constant)
    {
        if (random.Next(2) == 0)
            return constant;
        var box = Activator.CreateInstance(
            typeof(System.Runtime.CompilerServices.StrongBox<>).MakeGenericType(constant.Type),
            constant.Value
        )!;
        return Expression.Field(Expression.Constant(box), "Value");
    }

    private static Expression Lift(Expression expression) =>
        Lifted(expression.Type) is var type && type == expression.Type
            ? expression
            : Expression.Convert(expression, type);

    private static Type Lifted(Type type) =>
        type.IsValueType && Nullable.GetUnderlyingType(type) is null ? typeof(Nullable<>).MakeGenericType(type) : type;

    internal static bool Scalar(Type type) => type.IsValueType || type == typeof(string);

    private static Type? ElementOf(Type type) =>
        type == typeof(string) ? null
        : type.IsArray ? type.GetElementType()
        : type.IsGenericType && typeof(System.Collections.IEnumerable).IsAssignableFrom(type)
            ? type.GetGenericArguments()[0]
        : null;

    private static MethodInfo Method(Type type, string name, int parameters) =>
        type.GetMethods().First(m => m.Name == name && m.GetParameters().Length == parameters);

    private static ExpressionType Flip(ExpressionType kind) =>
        kind switch
        {
            ExpressionType.LessThan => ExpressionType.GreaterThan,
            ExpressionType.LessThanOrEqual => ExpressionType.GreaterThanOrEqual,
            ExpressionType.GreaterThan => ExpressionType.LessThan,
            ExpressionType.GreaterThanOrEqual => ExpressionType.LessThanOrEqual,
            _ => kind,
        };
}
