using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

// From loose to tight: ?:, or, and, not, comparison, + -, * / %, unary minus and !, then . [] and calls.
public sealed partial class QueryParser
{
    private ExpressionSyntax Expression()
    {
        if (++_depth > QueryTextLimits.MaxDepth)
            throw TooDeep(_token.Span);
        var condition = Logical(LogicalOperator.Or);
        if (_token.IsSymbol("?"))
        {
            Advance();
            var whenTrue = Expression();
            Expect(":", "'condition ? a : b' has two values");
            var whenFalse = Expression();
            condition = Bounded(
                new ConditionalSyntax(
                    condition,
                    whenTrue,
                    whenFalse,
                    SourceSpan.Between(condition.Span, whenFalse.Span)
                )
            );
        }

        _depth--;
        return condition;
    }

    private ExpressionSyntax Logical(LogicalOperator op)
    {
        var isOr = op == LogicalOperator.Or;
        var first = isOr ? Logical(LogicalOperator.And) : Not();
        List<ExpressionSyntax>? operands = null;
        while (isOr ? _token.IsWord("or") || _token.IsSymbol("||") : _token.IsWord("and") || _token.IsSymbol("&&"))
        {
            Advance();
            (operands ??= [first]).Add(isOr ? Logical(LogicalOperator.And) : Not());
        }

        return operands is null
            ? first
            : Bounded(new LogicalSyntax(op, operands, SourceSpan.Between(first.Span, operands[^1].Span)));
    }

    private ExpressionSyntax Not()
    {
        if (!_token.IsWord("not"))
            return Comparison();
        if (++_depth > QueryTextLimits.MaxDepth)
            throw TooDeep(_token.Span);
        var not = _token;
        Advance();
        var operand = Not();
        _depth--;
        return Bounded(new NotSyntax(operand, SourceSpan.Between(not.Span, operand.Span)));
    }

    private ExpressionSyntax Comparison()
    {
        var left = Additive();
        var negated = _token.IsWord("not") && (Peek().IsWord("in") || Peek().IsWord("between") || Peek().IsWord("all"));
        if (negated)
            Advance();
        ExpressionSyntax? condition = null;
        if (_token.Kind == TokenKind.Symbol && ComparisonOf(_token.Text) is { } op)
        {
            Advance();
            var right = Additive();
            condition = new ComparisonSyntax(op, Compared(left), right, SourceSpan.Between(left.Span, right.Span));
            if (_token.Kind == TokenKind.Symbol && ComparisonOf(_token.Text) is not null)
            {
                throw Error(
                    _token,
                    "comparisons do not follow one another",
                    "write a < b and b < c, or b between a and c"
                );
            }
        }
        else if (_token.IsWord("between"))
        {
            condition = Between(left);
        }
        else if (_token.IsWord("in") || (_token.IsWord("all") && Peek().IsWord("in")))
        {
            condition = In(left);
        }

        if (condition is null)
            return left;
        if (negated)
            condition = new NotSyntax(condition, condition.Span);
        return Bounded(condition);
    }

    private BetweenSyntax Between(ExpressionSyntax left)
    {
        Advance();
        var low = Additive();
        if (!_token.IsWord("and"))
            throw Error(_token, $"'and' is expected, not {_token.Describe()}", "write field between low and high");
        Advance();
        var high = Additive();
        return new BetweenSyntax(Compared(left), low, high, SourceSpan.Between(left.Span, high.Span));
    }

    private InSyntax In(ExpressionSyntax left)
    {
        var isAll = _token.IsWord("all");
        if (isAll)
            Advance();
        Advance();
        var values = new List<ExpressionSyntax>();
        if (_token.Kind == TokenKind.Parameter)
        {
            var array = Primary();
            return new InSyntax(Compared(left), [array], isAll, SourceSpan.Between(left.Span, array.Span));
        }

        Expect("(", "the values stand in parentheses: field in ('a', 'b')");
        while (!_token.IsSymbol(")"))
        {
            if (values.Count > 0)
                Expect(",", "values are separated by ','; ')' ends them");
            values.Add(Additive());
        }

        var span = SourceSpan.Between(left.Span, _token.Span);
        Advance();
        return new InSyntax(Compared(left), values, isAll, span);
    }

    private ExpressionSyntax Additive()
    {
        var left = Multiplicative();
        while (_token.IsSymbol("+") || _token.IsSymbol("-"))
        {
            var op = _token.Text == "+" ? ArithmeticOperator.Add : ArithmeticOperator.Subtract;
            Advance();
            left = Arithmetic(op, left, Multiplicative());
        }

        return left;
    }

    private ExpressionSyntax Multiplicative()
    {
        var left = Unary();
        while (_token.IsSymbol("*") || _token.IsSymbol("/") || _token.IsSymbol("%"))
        {
            var op = _token.Text switch
            {
                "*" => ArithmeticOperator.Multiply,
                "/" => ArithmeticOperator.Divide,
                _ => ArithmeticOperator.Remainder,
            };
            Advance();
            left = Arithmetic(op, left, Unary());
        }

        return left;
    }

    private ArithmeticSyntax Arithmetic(ArithmeticOperator op, ExpressionSyntax left, ExpressionSyntax right) =>
        Bounded(new ArithmeticSyntax(op, left, right, SourceSpan.Between(left.Span, right.Span)));

    private ExpressionSyntax Unary()
    {
        var sign = _token;
        if (!sign.IsSymbol("-") && !sign.IsSymbol("!"))
            return Postfix();
        if (++_depth > QueryTextLimits.MaxDepth)
            throw TooDeep(_token.Span);
        Advance();
        ExpressionSyntax value;
        if (sign.Text == "-" && _token.Kind == TokenKind.Number)
        {
            value = Number(sign);
        }
        else
        {
            var operand = Unary();
            var span = SourceSpan.Between(sign.Span, operand.Span);
            value = sign.Text == "-" ? Bounded(new NegateSyntax(operand, span)) : Bounded(new NotSyntax(operand, span));
        }

        _depth--;
        return value;
    }

    /// <summary>The left side of a condition is a field, even if its name is in quotes.</summary>
    private ExpressionSyntax Compared(ExpressionSyntax left) => _inCondition ? AsField(left) : left;

    private static ExpressionSyntax AsField(ExpressionSyntax value) =>
        value switch
        {
            LiteralSyntax { Value: string { Length: > 0 } name } => new FieldSyntax(
                [new FieldSegment(name, false)],
                value.Span
            ),
            MemberSyntax member when AsField(member.Target) is FieldSyntax field => new FieldSyntax(
                [.. field.Segments, new FieldSegment(member.Name, false)],
                value.Span
            ),
            _ => value,
        };

    /// <summary>A selected field; a name in quotes may be a path.</summary>
    private static ExpressionSyntax Selected(ExpressionSyntax value) =>
        AsField(value) is FieldSyntax { Segments: [{ IsArray: false } only] } field
        && only.Name.Contains('.', StringComparison.Ordinal)
            ? field with
            {
                Segments = [.. only.Name.Split('.').Select(Segment)],
            }
            : AsField(value);

    private static FieldSegment Segment(string name) =>
        name.Length > 2 && name.EndsWith("[]", StringComparison.Ordinal)
            ? new FieldSegment(name[..^2], true)
            : new FieldSegment(name, false);

    private static ComparisonOperator? ComparisonOf(string symbol) =>
        symbol switch
        {
            "=" or "==" or "===" => ComparisonOperator.Equal,
            "!=" or "<>" or "!==" => ComparisonOperator.NotEqual,
            "<" => ComparisonOperator.Less,
            "<=" => ComparisonOperator.LessOrEqual,
            ">" => ComparisonOperator.Greater,
            ">=" => ComparisonOperator.GreaterOrEqual,
            _ => null,
        };
}
