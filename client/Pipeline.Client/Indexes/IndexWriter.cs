using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Reflection;
using System.Text;
using Pipeline.Client.Conventions;
using Pipeline.Client.Queries;

namespace Pipeline.Client.Indexes;

/// <summary>Writes the maps and the reduce of an index as C# that the database compiles.</summary>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
internal sealed class IndexWriter(DocumentStoreOptions options)
{
    private readonly Dictionary<ParameterExpression, string> _names = [];
    private readonly HashSet<Type> _documents = [];
    private readonly IndexLiterals _literals = new(options);

    /// <summary>A map over the documents of its class.</summary>
    public string Map(LambdaExpression map)
    {
        var type = map.Parameters[0].Type.GetGenericArguments()[0];
        var collection = DocumentModel.Of(type, options).Collection;
        Begin();
        _documents.Add(type);
        _names[map.Parameters[0]] = IndexLiterals.IsName(collection)
            ? $"docs.{collection}"
            : $"docs[{IndexLiterals.Text(collection)}]";
        return Write(map.Body);
    }

    /// <summary>A reduce over the entries.</summary>
    public string Reduce(LambdaExpression reduce)
    {
        Begin();
        _names[reduce.Parameters[0]] = "results";
        return Write(reduce.Body);
    }

    /// <summary>The name of a field in entries.</summary>
    public string Field(LambdaExpression member) => MemberPath.Of(member, options);

    private void Begin()
    {
        _names.Clear();
        _documents.Clear();
    }

    private string Write(Expression expression)
    {
        if (
            expression is not (LambdaExpression or NewArrayExpression)
            && !IsMade(expression)
            && Closed.IsClosed(expression)
        )
        {
            return Value(expression);
        }

        return expression switch
        {
            ParameterExpression parameter => NameOf(parameter),
            LambdaExpression lambda => Lambda(lambda),
            UnaryExpression unary => Unary(unary),
            BinaryExpression binary => Binary(binary),
            ConditionalExpression choice =>
                $"({Write(choice.Test)} ? {Write(choice.IfTrue)} : {Write(choice.IfFalse)})",
            MemberExpression member => Member(member),
            MethodCallExpression call => Call(call),
            NewExpression made => New(made),
            MemberInitExpression made => Initialized(made),
            NewArrayExpression list => $"new[] {{ {string.Join(", ", list.Expressions.Select(Write))} }}",
            TypeBinaryExpression => throw Unsupported(
                expression,
                "documents have no classes in the database; compare a member"
            ),
            _ => throw Unsupported(expression, "an index cannot compute it"),
        };
    }

    /// <summary>
    /// Whether an expression makes an object of an entry, though it needs no document: <c>new { Count = 1 }</c>.
    /// </summary>
    private static bool IsMade(Expression expression) =>
        expression is MemberInitExpression || (expression is NewExpression made && made.Members is not null);

    private string Value(Expression expression)
    {
        if (TimeDependence.Find(expression) is { } member)
        {
            throw Unsupported(
                expression,
                $"{member} would be the time of the deployment; entries depend only on documents"
            );
        }

        return Closed.TryEvaluate(expression, out var value) && _literals.TryWrite(value, out var text)
            ? text
            : throw Unsupported(
                expression,
                "an index holds texts, numbers, truth values, dates, enums and lists of these"
            );
    }

    private string NameOf(ParameterExpression parameter)
    {
        if (_names.TryGetValue(parameter, out var known))
            return known;
        var name = Clean(parameter.Name ?? "x");
        while (_names.ContainsValue(name) || name is "docs" or "results" || !IndexLiterals.IsName(name))
            name += "_";
        return _names[parameter] = name;
    }

    private string Lambda(LambdaExpression lambda)
    {
        var parameters = lambda.Parameters.Select(NameOf).ToList();
        var text =
            (parameters.Count == 1 ? parameters[0] : $"({string.Join(", ", parameters)})")
            + " => "
            + Write(lambda.Body);
        foreach (var parameter in lambda.Parameters)
            _names.Remove(parameter);
        return text;
    }

    private string Unary(UnaryExpression unary)
    {
        var operand = Write(unary.Operand);
        return unary.NodeType switch
        {
            ExpressionType.Quote => operand,
            ExpressionType.Not => $"!({operand})",
            ExpressionType.Negate or ExpressionType.NegateChecked => $"-({operand})",
            ExpressionType.ArrayLength => $"{operand}.Count()",
            ExpressionType.Convert or ExpressionType.ConvertChecked => Converted(unary, operand),
            ExpressionType.TypeAs => operand,
            _ => throw Unsupported(unary, "an index cannot compute it"),
        };
    }

    private static string Converted(UnaryExpression unary, string operand)
    {
        var (from, to) = (Bare(unary.Operand.Type), Bare(unary.Type));
        // Numbers of documents are exact; only a conversion that cuts digits changes a value.
        return
            Type.GetTypeCode(to) is >= TypeCode.SByte and <= TypeCode.UInt64
            && !to.IsEnum
            && Type.GetTypeCode(from) is TypeCode.Single or TypeCode.Double or TypeCode.Decimal
            ? $"({IndexLiterals.Keyword(to)}){operand}"
            : operand;
    }

    private string Binary(BinaryExpression binary)
    {
        var (left, right) = (Stripped(binary.Left), Stripped(binary.Right));
        var (a, b) = (Side(left, right), Side(right, left));
        if (binary.NodeType == ExpressionType.ArrayIndex)
            return $"{a}[{b}]";
        var sign = binary.NodeType switch
        {
            ExpressionType.Add or ExpressionType.AddChecked => "+",
            ExpressionType.Subtract or ExpressionType.SubtractChecked => "-",
            ExpressionType.Multiply or ExpressionType.MultiplyChecked => "*",
            ExpressionType.Divide => "/",
            ExpressionType.Modulo => "%",
            ExpressionType.AndAlso or ExpressionType.And => "&&",
            ExpressionType.OrElse or ExpressionType.Or => "||",
            ExpressionType.Equal => "==",
            ExpressionType.NotEqual => "!=",
            ExpressionType.LessThan => "<",
            ExpressionType.LessThanOrEqual => "<=",
            ExpressionType.GreaterThan => ">",
            ExpressionType.GreaterThanOrEqual => ">=",
            ExpressionType.Coalesce => "??",
            _ => throw Unsupported(binary, "an index cannot compute it"),
        };
        if (binary.NodeType is ExpressionType.And or ExpressionType.Or && Bare(binary.Type) != typeof(bool))
            throw Unsupported(binary, "bits cannot be combined");
        return $"({a} {sign} {b})";
    }

    /// <summary>
    /// One side of an operator. C# compares enums as numbers, but documents have them as the serializer writes them.
    /// </summary>
    private string Side(Expression side, Expression other)
    {
        var type = Bare(other.Type);
        if (
            type.IsEnum
            && !Bare(side.Type).IsEnum
            && Closed.TryEvaluate(side, out var number)
            && number is not null
            && _literals.TryWrite(Enum.ToObject(type, number), out var text)
        )
        {
            return text;
        }

        return Write(side);
    }

    private string Member(MemberExpression member)
    {
        if (member.Expression is not { } owner)
            throw Unsupported(member, "an index cannot compute it");
        var name = member.Member.Name;
        if (Nullable.GetUnderlyingType(owner.Type) is not null)
            return name == "HasValue" ? $"({Write(owner)} != null)" : Write(owner);
        if (IsOwn(owner.Type))
            return $"{Write(owner)}.{name}";
        if (
            name is "Count" or "Length"
            && owner.Type != typeof(string)
            && owner.Type.IsAssignableTo(typeof(System.Collections.IEnumerable))
        )
        {
            return $"{Write(owner)}.Count()";
        }

        if (
            _documents.Contains(owner.Type)
            && DocumentModel.Of(owner.Type, options).IdName == MemberPath.NameOf(member.Member, options)
        )
        {
            return $"Id({Write(owner)})";
        }

        return $"{Write(owner)}.{Clean(MemberPath.NameOf(member.Member, options))}";
    }

    private string Call(MethodCallExpression call)
    {
        var (name, type) = (call.Method.Name, call.Method.DeclaringType!);
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(DocumentIndex<,>))
            return Load(call);
        if (type == typeof(Enumerable) || type == typeof(Queryable) || type.FullName == "System.MemoryExtensions")
            return Sequence(call);
        if (type == typeof(string) && name is "Format")
            return Interpolated(call);
        if (call.Object is null)
        {
            return type == typeof(string) || type == typeof(Math)
                ? $"{IndexLiterals.Keyword(type)}.{name}({Arguments(call, 0)})"
                : throw Unknown(call);
        }

        if (name == "get_Item")
            return $"{Write(call.Object)}[{Arguments(call, 0)}]";
        if (
            name == nameof(Enumerable.Contains)
            && call.Object.Type.IsAssignableTo(typeof(System.Collections.IEnumerable))
        )
        {
            return $"{Write(call.Object)}.Contains({Arguments(call, 0)})";
        }

        return IsOwn(call.Object.Type) || name == nameof(ToString)
            ? $"{Write(call.Object)}.{name}({Arguments(call, 0)})"
            : throw Unknown(call);
    }

    private string Load(MethodCallExpression call)
    {
        var type = call.Method.GetGenericArguments()[0];
        _documents.Add(type);
        return $"LoadDocument({Write(call.Arguments[0])}, {IndexLiterals.Text(DocumentModel.Of(type, options).Collection)})";
    }

    private string Sequence(MethodCallExpression call)
    {
        var source = MemberPath.Unspanned(call.Arguments[0]);
        return call.Method.Name is nameof(Enumerable.Cast) or nameof(Enumerable.AsEnumerable)
            ? Write(source)
            : $"{Write(source)}.{call.Method.Name}({Arguments(call, 1)})";
    }

    /// <summary>What C# makes of an interpolated text.</summary>
    private string Interpolated(MethodCallExpression call)
    {
        if (!Closed.TryEvaluate(call.Arguments[0], out var value) || value is not string format)
            throw Unsupported(call, "write an interpolated text: $\"{o.First} {o.Last}\"");
        Expression[] holes =
        [
            .. call.Arguments is [_, NewArrayExpression list] ? list.Expressions : call.Arguments.Skip(1),
        ];
        var text = new StringBuilder("$\"");
        for (var i = 0; i < format.Length; i++)
        {
            if (format[i] is '{' or '}' && i + 1 < format.Length && format[i + 1] == format[i])
            {
                text.Append(format[i], 2);
                i++;
            }
            else if (format[i] == '{')
            {
                var end = format.IndexOf('}', i);
                var digits = format.AsSpan(i + 1, end - i - 1);
                var number = digits.IndexOfAny(',', ':') is >= 0 and var cut ? digits[..cut] : digits;
                text.Append('{')
                    .Append('(')
                    .Append(
                        Write(Stripped(holes[int.Parse(number, System.Globalization.CultureInfo.InvariantCulture)]))
                    )
                    .Append(')')
                    .Append(digits[number.Length..])
                    .Append('}');
                i = end;
            }
            else
            {
                text.Append(IndexLiterals.Escaped(format[i]));
            }
        }

        return text.Append('"').ToString();
    }

    private string Arguments(MethodCallExpression call, int from) =>
        string.Join(", ", call.Arguments.Skip(from).Where(a => !IsDefault(a)).Select(a => Write(Stripped(a))));

    /// <summary>An argument that C# adds by itself: no comparer.</summary>
    private static bool IsDefault(Expression argument) =>
        argument is ConstantExpression { Value: null } && argument.Type.IsInterface;

    private string New(NewExpression made)
    {
        var parameters = made.Constructor?.GetParameters() ?? [];
        if (made.Members is { } members)
            return Object(members.Select((m, i) => (EntryName(m), made.Arguments[i])));
        if (IsOwn(made.Type))
            return $"new {IndexLiterals.Keyword(made.Type)}({string.Join(", ", made.Arguments.Select(Write))})";
        return Object(parameters.Select((p, i) => (EntryName(Property(made, p.Name!)), made.Arguments[i])));
    }

    private string Initialized(MemberInitExpression made)
    {
        if (made.NewExpression.Arguments.Count > 0 || made.Bindings.Any(b => b is not MemberAssignment))
            throw Unsupported(made, "set each member once: new Entry { Name = … }");
        return Object(made.Bindings.Cast<MemberAssignment>().Select(b => (EntryName(b.Member), b.Expression)));
    }

    private string Object(IEnumerable<(string Name, Expression Value)> members) =>
        $"new {{ {string.Join(", ", members.Select(m => $"{m.Name} = {Member(m.Value)}"))} }}";

    /// <summary>A member's value. A bare null has no type.</summary>
    private string Member(Expression value) =>
        Write(Stripped(value)) is var text && text == "null" ? "(object)null" : text;

    private static PropertyInfo Property(NewExpression made, string name) =>
        made.Type.GetProperty(name, BindingFlags.Public | BindingFlags.Instance | BindingFlags.IgnoreCase)
        ?? throw Unsupported(
            made,
            $"{made.Type.Name} has no property for the parameter '{name}'; set members: new {made.Type.Name} {{ Name = … }}"
        );

    /// <summary>The name that queries use for a member of an entry. Objects that only C# sees keep theirs.</summary>
    private string EntryName(MemberInfo member) =>
        Clean(member.Name.Contains('<', StringComparison.Ordinal) ? member.Name : MemberPath.NameOf(member, options));

    private static bool IsOwn(Type type) =>
        type.IsPrimitive
        || type == typeof(string)
        || type == typeof(decimal)
        || type == typeof(DateTime)
        || type == typeof(DateTimeOffset)
        || type == typeof(DateOnly)
        || type == typeof(TimeOnly)
        || type == typeof(TimeSpan)
        || (
            type.IsGenericType
            && type.GetGenericTypeDefinition() is var definition
            && (definition == typeof(IGrouping<,>) || definition == typeof(KeyValuePair<,>))
        );

    private static string Clean(string name) =>
        name.Replace("<>h__TransparentIdentifier", "t", StringComparison.Ordinal).Replace('<', '_').Replace('>', '_');

    private static Type Bare(Type type) => Nullable.GetUnderlyingType(type) ?? type;

    private static Expression Stripped(Expression expression) =>
        expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } converted
        && (Bare(converted.Operand.Type).IsEnum || converted.Type == typeof(object))
            ? Stripped(converted.Operand)
            : expression;

    private static UnsupportedExpressionException Unknown(MethodCallExpression call) =>
        Unsupported(
            call,
            $"the database does not know {call.Method.DeclaringType!.Name}.{call.Method.Name}; use methods of texts, numbers, dates and LINQ"
        );

    private static UnsupportedExpressionException Unsupported(Expression expression, string reason) =>
        new(expression.ToString(), reason, "an index");
}
