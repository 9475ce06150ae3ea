using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>Refuses what <see cref="QueryEvaluator"/> does not compute, before anything runs, naming it.</summary>
internal sealed class ExpressionCheck(QuerySyntax query)
{
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
            case LambdaSyntax or KeywordSyntax:
                throw Refuse(expression, "a function that is no argument of map(), filter() and the like is not supported");
        }
    }

    private void Check(IEnumerable<ExpressionSyntax> expressions)
    {
        foreach (ExpressionSyntax expression in expressions) Check(expression);
    }

    private void Call(CallSyntax call)
    {
        if (call.Target is null && query.Functions.Any(f => f.Name == call.Name))
        {
            throw Refuse(call, $"the declared function '{call.Name}' is JavaScript, which is not available here", "write its value in 'select' itself: select { Name: o.Name }");
        }

        bool isMath = call.Target is FieldSyntax { Path: "Math" }, isObject = call.Target is FieldSyntax { Path: "Object" };
        IReadOnlyList<string> known = call.Target is null ? QueryEvaluator.Functions : isMath ? MathFunctions.Names : isObject ? ["keys", "values"] : TextMethods.Names;
        if (!known.Contains(call.Name))
        {
            string name = isMath ? "Math." + call.Name : isObject ? "Object." + call.Name : call.Name;
            throw Refuse(call, $"{name}() is not supported in values", Spelling.Nearest(call.Name, known) is { } near ? $"did you mean '{near}'?" : null);
        }

        if (isObject && call.Arguments.Count != 1) throw Refuse(call, $"Object.{call.Name}() takes 1 argument, not {call.Arguments.Count}");
        if (call.Target is not null && !isMath && !isObject) Check(call.Target);
        foreach (ExpressionSyntax argument in call.Arguments) Check(argument is LambdaSyntax lambda && call.Target is not null ? lambda.Body : argument);
    }

    private InvalidQueryException Refuse(ExpressionSyntax at, string reason, string? mend = null) =>
        new(QueryErrorKind.NotSupported, query.Text, at.Span, reason, mend);
}
