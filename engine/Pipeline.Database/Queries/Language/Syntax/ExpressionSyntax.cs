namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A condition or a value of a query. Immutable; the whole tree is thread-safe.</summary>
/// <param name="Span">The place in the query's text.</param>
public abstract record ExpressionSyntax(SourceSpan Span)
{
    /// <summary>
    /// Levels from here down to the deepest leaf; a walk by recursion goes as deep, and the parser bounds it.
    /// </summary>
    internal virtual int Height => 1;

    /// <summary>The canonical text, as <see cref="QueryPrinter"/> writes it.</summary>
    /// <returns>A new string.</returns>
    public sealed override string ToString() => QueryPrinter.Print(this);

    private protected static int Above(
        ExpressionSyntax first,
        ExpressionSyntax? second = null,
        ExpressionSyntax? third = null
    ) => 1 + Math.Max(first.Height, Math.Max(second?.Height ?? 0, third?.Height ?? 0));

    private protected static int Above(IEnumerable<ExpressionSyntax> children) =>
        1 + children.Select(c => c.Height).DefaultIfEmpty().Max();
}

/// <summary>A value that is written in the query.</summary>
/// <param name="Value">
/// Null, a <see cref="bool"/>, a <see cref="long"/>, a <see cref="double"/> or a <see cref="string"/>.
/// </param>
/// <param name="Span">The place in the text.</param>
public sealed record LiteralSyntax(object? Value, SourceSpan Span) : ExpressionSyntax(Span);

/// <summary>
/// An operator that is handed to a function: <c>and</c> or <c>or</c> in <c>search(Name, 'a b', and)</c>.
/// </summary>
/// <param name="Name">The word, in lower case.</param>
/// <param name="Span">The place in the text.</param>
public sealed record KeywordSyntax(string Name, SourceSpan Span) : ExpressionSyntax(Span);

/// <summary>A parameter, whose value is passed with the query: <c>$name</c>.</summary>
/// <param name="Name">The name without the dollar sign; case-sensitive.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ParameterSyntax(string Name, SourceSpan Span) : ExpressionSyntax(Span);

/// <summary>
/// A path: <c>Address.City</c>, <c>Lines[].Product</c>, <c>'a name'.b</c>. The first name may be an alias.
/// </summary>
/// <param name="Segments">The steps, at least one.</param>
/// <param name="Span">The place in the text.</param>
public sealed record FieldSyntax(IReadOnlyList<FieldSegment> Segments, SourceSpan Span) : ExpressionSyntax(Span)
{
    /// <summary>The names with dots between and <c>[]</c> behind arrays, without quotes.</summary>
    public string Path => string.Join('.', Segments.Select(s => s.IsArray ? s.Name + "[]" : s.Name));
}

/// <summary>One step of a path.</summary>
/// <param name="Name">The property's name, unchanged.</param>
/// <param name="IsArray">Whether <c>[]</c> follows: the path continues in every element.</param>
public readonly record struct FieldSegment(string Name, bool IsArray);

/// <summary>A property of a value that is no path: <c>load(o.Company).Name</c>.</summary>
/// <param name="Target">The value.</param>
/// <param name="Name">The property.</param>
/// <param name="Span">The place in the text.</param>
public sealed record MemberSyntax(ExpressionSyntax Target, string Name, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Target);
}

/// <summary>A function of the query language, or a method of a value.</summary>
/// <param name="Target">The value whose method is called; null for a function.</param>
/// <param name="Name">
/// The name; for a known function in its documented spelling (<c>startsWith</c>, <c>spatial.within</c>), whatever its
/// case in the text.
/// </param>
/// <param name="Arguments">The arguments.</param>
/// <param name="Span">The place in the text.</param>
public sealed record CallSyntax(
    ExpressionSyntax? Target,
    string Name,
    IReadOnlyList<ExpressionSyntax> Arguments,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    /// <summary>
    /// The result name of an aggregate within <c>facet()</c>: <c>sum(Total) as T</c>. Null for all other calls.
    /// </summary>
    public string? Alias { get; init; }

    internal override int Height { get; } = Above(Target is null ? Arguments : Arguments.Append(Target));
}

/// <summary>A function that a method calls for each element: <c>l => l.Price * l.Quantity</c>.</summary>
/// <param name="Parameters">The names of its parameters.</param>
/// <param name="Body">Its result.</param>
/// <param name="Span">The place in the text.</param>
public sealed record LambdaSyntax(IReadOnlyList<string> Parameters, ExpressionSyntax Body, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Body);
}

/// <summary>A condition that must not hold.</summary>
/// <param name="Operand">The condition.</param>
/// <param name="Span">The place in the text.</param>
public sealed record NotSyntax(ExpressionSyntax Operand, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand);
}

/// <summary>A number with the other sign. Of a literal it is the literal itself.</summary>
/// <param name="Operand">The number.</param>
/// <param name="Span">The place in the text.</param>
public sealed record NegateSyntax(ExpressionSyntax Operand, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand);
}

/// <summary>Conditions joined by <c>and</c>, or by <c>or</c>; a long chain is one node.</summary>
/// <param name="Operator">The operator that joins them.</param>
/// <param name="Operands">At least two, in the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record LogicalSyntax(LogicalOperator Operator, IReadOnlyList<ExpressionSyntax> Operands, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operands);
}

/// <summary>How conditions are joined.</summary>
public enum LogicalOperator
{
    /// <summary>All must hold.</summary>
    And,

    /// <summary>One must hold.</summary>
    Or,
}

/// <summary>Two values compared.</summary>
/// <param name="Operator">How.</param>
/// <param name="Left">The value on the left: in a condition a field or a function of it.</param>
/// <param name="Right">The value on the right.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ComparisonSyntax(
    ComparisonOperator Operator,
    ExpressionSyntax Left,
    ExpressionSyntax Right,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Left, Right);
}

/// <summary>How two values are compared.</summary>
public enum ComparisonOperator
{
    /// <summary><c>=</c>, <c>==</c>.</summary>
    Equal,

    /// <summary><c>!=</c>, <c>&lt;&gt;</c>.</summary>
    NotEqual,

    /// <summary><c>&lt;</c>.</summary>
    Less,

    /// <summary><c>&lt;=</c>.</summary>
    LessOrEqual,

    /// <summary><c>&gt;</c>.</summary>
    Greater,

    /// <summary><c>&gt;=</c>.</summary>
    GreaterOrEqual,
}

/// <summary>An arithmetic operation on two values.</summary>
/// <param name="Operator">How.</param>
/// <param name="Left">The value on the left.</param>
/// <param name="Right">The value on the right.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ArithmeticSyntax(
    ArithmeticOperator Operator,
    ExpressionSyntax Left,
    ExpressionSyntax Right,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Left, Right);
}

/// <summary>An operator of two values.</summary>
public enum ArithmeticOperator
{
    /// <summary><c>+</c>: a sum, or texts put together.</summary>
    Add,

    /// <summary><c>-</c>.</summary>
    Subtract,

    /// <summary><c>*</c>.</summary>
    Multiply,

    /// <summary><c>/</c>.</summary>
    Divide,

    /// <summary><c>%</c>: the remainder of a division.</summary>
    Remainder,
}

/// <summary><c>condition ? a : b</c>.</summary>
/// <param name="Condition">The condition.</param>
/// <param name="WhenTrue">The value if the condition holds.</param>
/// <param name="WhenFalse">The value if it does not hold.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ConditionalSyntax(
    ExpressionSyntax Condition,
    ExpressionSyntax WhenTrue,
    ExpressionSyntax WhenFalse,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Condition, WhenTrue, WhenFalse);
}

/// <summary><c>field between low and high</c>; both ends belong to it.</summary>
/// <param name="Operand">The value to compare.</param>
/// <param name="Low">The lowest value.</param>
/// <param name="High">The highest value.</param>
/// <param name="Span">The place in the text.</param>
public sealed record BetweenSyntax(
    ExpressionSyntax Operand,
    ExpressionSyntax Low,
    ExpressionSyntax High,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Operand, Low, High);
}

/// <summary><c>field in (…)</c>: one of the values; <c>field all in (…)</c>: every one of them.</summary>
/// <param name="Operand">The value to compare.</param>
/// <param name="Values">The values; a parameter among them may be an array.</param>
/// <param name="IsAll">Whether every value must be there.</param>
/// <param name="Span">The place in the text.</param>
public sealed record InSyntax(
    ExpressionSyntax Operand,
    IReadOnlyList<ExpressionSyntax> Values,
    bool IsAll,
    SourceSpan Span
) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Values.Append(Operand));
}

/// <summary>An array that a query makes: <c>[a, b]</c>.</summary>
/// <param name="Elements">In the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ArraySyntax(IReadOnlyList<ExpressionSyntax> Elements, SourceSpan Span) : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Elements);
}

/// <summary>An object that a query makes: <c>{ Name: o.Company, Total: o.Freight * 2 }</c>.</summary>
/// <param name="Properties">In the order of the text.</param>
/// <param name="Span">The place in the text.</param>
public sealed record ObjectSyntax(IReadOnlyList<ObjectPropertySyntax> Properties, SourceSpan Span)
    : ExpressionSyntax(Span)
{
    internal override int Height { get; } = Above(Properties.Select(p => p.Value));
}

/// <summary>A property of an object that a query makes.</summary>
/// <param name="Name">Its name; null for <c>...value</c>, which takes all properties of the value.</param>
/// <param name="Value">Its value.</param>
public sealed record ObjectPropertySyntax(string? Name, ExpressionSyntax Value);
