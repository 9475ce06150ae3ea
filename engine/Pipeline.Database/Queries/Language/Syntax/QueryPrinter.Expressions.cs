using System.Globalization;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

public sealed partial class QueryPrinter
{
    // Loose to tight, as the parser reads them.
    private enum Precedence
    {
        Lowest,
        Conditional,
        Or,
        And,
        Not,
        Comparison,
        Additive,
        Multiplicative,
        Unary,
        Postfix,
    }

    private static Precedence Of(ExpressionSyntax value) =>
        value switch
        {
            ConditionalSyntax or LambdaSyntax => Precedence.Conditional,
            LogicalSyntax { Operator: LogicalOperator.Or } => Precedence.Or,
            LogicalSyntax => Precedence.And,
            NotSyntax => Precedence.Not,
            ComparisonSyntax or BetweenSyntax or InSyntax => Precedence.Comparison,
            ArithmeticSyntax { Operator: ArithmeticOperator.Add or ArithmeticOperator.Subtract } => Precedence.Additive,
            ArithmeticSyntax => Precedence.Multiplicative,
            NegateSyntax or LiteralSyntax { Value: long or double } => Precedence.Unary,
            _ => Precedence.Postfix,
        };

    private void Write(ExpressionSyntax value, Precedence least)
    {
        var wrapped = Of(value) < least;
        if (wrapped)
            _out.Append('(');
        Bare(value);
        if (wrapped)
            _out.Append(')');
    }

    private void Bare(ExpressionSyntax value)
    {
        switch (value)
        {
            case LiteralSyntax literal:
                Literal(literal.Value);
                break;
            case ParameterSyntax parameter:
                _out.Append('$').Append(parameter.Name);
                break;
            case FieldSyntax field:
                Field(field, isNamed: false);
                break;
            case KeywordSyntax keyword:
                _out.Append(keyword.Name);
                break;
            case LogicalSyntax logical:
                List(logical.Operands, logical.Operator == LogicalOperator.Or ? " or " : " and ", Of(logical) + 1);
                break;
            case NotSyntax not:
                _out.Append("not ");
                Write(not.Operand, Precedence.Not);
                break;
            case ComparisonSyntax comparison:
                Compared(comparison.Left);
                _out.Append(' ').Append(Sign(comparison.Operator)).Append(' ');
                Write(comparison.Right, Precedence.Additive);
                break;
            case BetweenSyntax between:
                Compared(between.Operand);
                _out.Append(" between ");
                Write(between.Low, Precedence.Additive);
                _out.Append(" and ");
                Write(between.High, Precedence.Additive);
                break;
            case InSyntax within:
                Compared(within.Operand);
                _out.Append(within.IsAll ? " all in (" : " in (");
                List(within.Values, ", ", Precedence.Additive);
                _out.Append(')');
                break;
            default:
                Value(value);
                break;
        }
    }

    private void Value(ExpressionSyntax value)
    {
        switch (value)
        {
            case ArithmeticSyntax arithmetic:
                Write(arithmetic.Left, Of(arithmetic));
                _out.Append(' ').Append(Sign(arithmetic.Operator)).Append(' ');
                Write(arithmetic.Right, Of(arithmetic) + 1);
                break;
            case NegateSyntax negate:
                _out.Append('-');
                Write(negate.Operand, Precedence.Postfix);
                break;
            case ConditionalSyntax conditional:
                Write(conditional.Condition, Precedence.Or);
                _out.Append(" ? ");
                Write(conditional.WhenTrue, Precedence.Conditional);
                _out.Append(" : ");
                Write(conditional.WhenFalse, Precedence.Conditional);
                break;
            case CallSyntax call:
                if (call.Target is not null)
                {
                    Write(call.Target, Precedence.Postfix);
                    _out.Append('.');
                }

                _out.Append(call.Name).Append('(');
                List(call.Arguments, ", ", Precedence.Conditional);
                _out.Append(')');
                if (call.Alias is null)
                    break;
                _out.Append(" as ");
                Name(call.Alias);
                break;
            case MemberSyntax member:
                Write(member.Target, Precedence.Postfix);
                _out.Append('.');
                Name(member.Name);
                break;
            case IndexSyntax index:
                Write(index.Target, Precedence.Postfix);
                _out.Append('[');
                Write(index.Index, Precedence.Conditional);
                _out.Append(']');
                break;
            case ArraySyntax array:
                _out.Append('[');
                List(array.Elements, ", ", Precedence.Conditional);
                _out.Append(']');
                break;
            case ObjectSyntax made:
                Object(made);
                break;
            case LambdaSyntax lambda:
                _out.Append('(').Append(string.Join(", ", lambda.Parameters)).Append(") => ");
                Body(lambda.Body);
                break;
            default:
                throw new ArgumentOutOfRangeException(
                    nameof(value),
                    value.GetType().Name,
                    "The node is none of the query language."
                );
        }
    }

    private void Body(ExpressionSyntax body)
    {
        var start = _out.Length;
        Write(body, Precedence.Conditional);
        if (_out[start] != '{')
            return;
        // A brace there would begin statements.
        _out.Insert(start, '(').Append(')');
    }

    private void Compared(ExpressionSyntax left)
    {
        if (_inCondition)
            Named(left, Precedence.Additive);
        else
            Write(left, Precedence.Additive);
    }

    /// <summary>Writes a value where a string would be read as a field's name.</summary>
    private void Named(ExpressionSyntax value, Precedence least)
    {
        if (value is FieldSyntax field)
            Field(field, isNamed: true);
        else
            Write(value, least);
    }

    private void List(IReadOnlyList<ExpressionSyntax> values, string separator, Precedence least)
    {
        for (var i = 0; i < values.Count; i++)
        {
            if (i > 0)
                _out.Append(separator);
            Write(values[i], least);
        }
    }

    private void Object(ObjectSyntax made)
    {
        _out.Append('{');
        var before = " ";
        foreach (var property in made.Properties)
        {
            _out.Append(before);
            if (property.Name is null)
            {
                _out.Append("...");
            }
            else
            {
                Name(property.Name);
                _out.Append(": ");
            }

            Write(property.Value, Precedence.Conditional);
            before = ", ";
        }

        _out.Append(" }");
    }

    // Where a string is no field's name, a keyword is told from a clause by parentheses.
    private void Field(FieldSyntax field, bool isNamed)
    {
        for (var i = 0; i < field.Segments.Count; i++)
        {
            var segment = field.Segments[i];
            if (i > 0)
                _out.Append('.');
            var isPlain = Lexer.IsPlainName(segment.Name);
            if (i == 0 && isPlain && !isNamed && QueryWords.MustQuote(segment.Name))
                _out.Append('(').Append(segment.Name).Append(')');
            else if (!isPlain || (i == 0 && QueryWords.MustQuote(segment.Name)))
                Quote(segment.Name);
            else
                _out.Append(segment.Name);
            if (segment.IsArray)
                _out.Append("[]");
        }
    }

    private void Literal(object? value)
    {
        switch (value)
        {
            case null:
                _out.Append("null");
                break;
            case bool truth:
                _out.Append(truth ? "true" : "false");
                break;
            case string text:
                Quote(text);
                break;
            case double number:
                var digits = number.ToString("R", CultureInfo.InvariantCulture);
                _out.Append(digits).Append(digits.AsSpan().IndexOfAny('.', 'E') < 0 ? ".0" : "");
                break;
            default:
                _out.Append(CultureInfo.InvariantCulture, $"{value}");
                break;
        }
    }

    private static string Sign(ComparisonOperator op) =>
        op switch
        {
            ComparisonOperator.Equal => "=",
            ComparisonOperator.NotEqual => "!=",
            ComparisonOperator.Less => "<",
            ComparisonOperator.LessOrEqual => "<=",
            ComparisonOperator.Greater => ">",
            _ => ">=",
        };

    private static string Sign(ArithmeticOperator op) =>
        op switch
        {
            ArithmeticOperator.Add => "+",
            ArithmeticOperator.Subtract => "-",
            ArithmeticOperator.Multiply => "*",
            ArithmeticOperator.Divide => "/",
            _ => "%",
        };
}
