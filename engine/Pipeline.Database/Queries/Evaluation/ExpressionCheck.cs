using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>
/// Refuses expressions that <see cref="QueryEvaluator"/> cannot compute, before anything runs, and names them.
/// </summary>
internal sealed class ExpressionCheck(QuerySyntax query)
{
    private readonly Stack<IReadOnlyList<string>> _parameters = new();

    /// <summary>The names that paths may begin with; null for any.</summary>
    internal IReadOnlyList<string>? Roots { get; init; }

    /// <summary>Suggests a fix for a path that begins with an unknown name.</summary>
    internal Func<FieldSyntax, string>? Suggestion { get; init; }

    /// <summary>Checks a value.</summary>
    /// <exception cref="InvalidQueryException">Something in it is not supported.</exception>
    internal void Check(ExpressionSyntax expression)
    {
        switch (expression)
        {
            case LogicalSyntax logical:
                Check(logical.Operands);
                break;
            case NotSyntax not:
                Check(not.Operand);
                break;
            case ComparisonSyntax comparison:
                Check([comparison.Left, comparison.Right]);
                break;
            case BetweenSyntax between:
                Check([between.Operand, between.Low, between.High]);
                break;
            case InSyntax within:
                Check([within.Operand, .. within.Values]);
                break;
            case ArithmeticSyntax arithmetic:
                Check([arithmetic.Left, arithmetic.Right]);
                break;
            case NegateSyntax negate:
                Check(negate.Operand);
                break;
            case ConditionalSyntax conditional:
                Check([conditional.Condition, conditional.WhenTrue, conditional.WhenFalse]);
                break;
            case MemberSyntax member:
                Check(member.Target);
                break;
            case IndexSyntax index:
                Check([index.Target, index.Index]);
                break;
            case ArraySyntax array:
                Check(array.Elements);
                break;
            case ObjectSyntax made:
                Check(made.Properties.Select(p => p.Value));
                break;
            case CallSyntax call:
                Call(call);
                break;
            case FieldSyntax field
                when Roots is not null
                    && !Roots.Contains(field.Segments[0].Name)
                    && !_parameters.Any(p => p.Contains(field.Segments[0].Name)):
                throw Refuse(
                    field,
                    $"'{field.Path}' begins with none of {string.Join(", ", Roots)}",
                    Suggestion?.Invoke(field)
                );
            case LambdaSyntax or KeywordSyntax:
                throw Refuse(
                    expression,
                    $"a function can only be the first argument of {string.Join(", ", QueryEvaluator.TakesFunction)}"
                );
        }
    }

    private void Check(IEnumerable<ExpressionSyntax> expressions)
    {
        foreach (var expression in expressions)
            Check(expression);
    }

    private void Call(CallSyntax call)
    {
        if (call.Target is null && query.Functions.Any(f => f.Name == call.Name))
        {
            throw Refuse(
                call,
                $"the declared function '{call.Name}' is JavaScript, which is not available here",
                "write its value in 'select' itself: select { Name: o.Name }"
            );
        }

        bool isMath = call.Target is FieldSyntax { Path: "Math" },
            isObject = call.Target is FieldSyntax { Path: "Object" };
        var known =
            call.Target is null ? QueryEvaluator.Functions
            : isMath ? MathFunctions.Names
            : isObject ? ["keys", "values"]
            : TextMethods.Names;
        if (!known.Contains(call.Name))
        {
            var name =
                isMath ? "Math." + call.Name
                : isObject ? "Object." + call.Name
                : call.Name;
            throw Refuse(
                call,
                $"{name}() is not supported in values",
                Spelling.Nearest(call.Name, known) is { } near ? $"did you mean '{near}'?"
                    : call.Name is "counter" or "timeseries" ? "keep the number in the document"
                    : null
            );
        }

        if (isObject && call.Arguments.Count != 1)
            throw Refuse(call, $"Object.{call.Name}() takes 1 argument, not {call.Arguments.Count}");
        if (call.Target is not null && !isMath && !isObject)
            Check(call.Target);
        foreach (var argument in call.Arguments)
        {
            var isTaken =
                call.Target is not null
                && !isMath
                && !isObject
                && argument == call.Arguments[0]
                && QueryEvaluator.TakesFunction.Contains(call.Name);
            if (argument is not LambdaSyntax lambda || !isTaken)
            {
                Check(argument);
                continue;
            }

            _parameters.Push(lambda.Parameters);
            Check(lambda.Body);
            _parameters.Pop();
        }
    }

    private InvalidQueryException Refuse(ExpressionSyntax at, string reason, string? suggestion = null) =>
        new(QueryErrorKind.NotSupported, query.Text, at.Span, reason, suggestion);
}
