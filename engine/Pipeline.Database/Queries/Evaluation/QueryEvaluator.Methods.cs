using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

internal sealed partial class QueryEvaluator
{
    /// <summary>The methods of an array whose first argument is a function.</summary>
    internal static readonly IReadOnlyList<string> TakesFunction =
    [
        "map",
        "filter",
        "flatMap",
        "some",
        "every",
        "find",
        "findIndex",
        "reduce",
    ];

    private ScriptValue? Method(CallSyntax call, EvaluationScope scope)
    {
        if (
            call.Target is FieldSyntax { Segments: [{ IsArray: false } owner] }
            && !scope.TryGet(owner.Name, out _, out _)
        )
        {
            if (owner.Name == "Math")
                return MathFunctions.Invoke(call.Name, [.. call.Arguments.Select(a => Evaluate(a, scope))]);
            if (owner.Name == "Object")
                return ObjectFunction(call.Name, Evaluate(call.Arguments[0], scope));
        }

        var target = Evaluate(call.Target!, scope);
        if (target is null)
            return null;
        if (target.Kind == ScriptValueKind.Array)
            return ArrayMethod(target, call, scope);
        ScriptValue?[] arguments = [.. call.Arguments.Select(a => a is LambdaSyntax ? null : Evaluate(a, scope))];
        if (call.Name == "toString")
            return target.Text;
        return target.Kind == ScriptValueKind.Text ? TextMethods.Invoke(target.Text, call.Name, arguments)
            : target.IsNumber && call.Name == "toFixed" ? MathFunctions.ToFixed(target.Number, arguments)
            : null;
    }

    private static ListValue? ObjectFunction(string name, ScriptValue? value)
    {
        if (value is not { Kind: ScriptValueKind.Object })
            return null;
        return name == "keys"
            ? new ListValue(value.Properties().Select(p => (ScriptValue?)p.Key).ToList())
            : new ListValue(value.Properties().Select(p => p.Value).ToList());
    }

    private ScriptValue? ArrayMethod(ScriptValue array, CallSyntax call, EvaluationScope scope)
    {
        if (call.Arguments is [LambdaSyntax lambda, ..])
            return Over(array, call, lambda, scope);
        ScriptValue?[] arguments = [.. call.Arguments.Select(a => Evaluate(a, scope))];
        List<ScriptValue?> elements = [.. array.Elements()];
        switch (call.Name)
        {
            case "includes":
                return elements.Exists(e => ScriptComparer.AreEqual(e, arguments.FirstOrDefault()));
            case "indexOf":
                return elements.FindIndex(e => ScriptComparer.AreEqual(e, arguments.FirstOrDefault()));
            case "join":
                return string.Join(arguments.FirstOrDefault()?.Text ?? ",", elements.Select(e => e?.Text));
            case "slice":
                (var start, var end) = TextMethods.Slice(elements.Count, arguments);
                return new ListValue(elements.GetRange(start, end - start));
            case "concat":
                foreach (var more in arguments)
                {
                    if (more is { Kind: ScriptValueKind.Array })
                        elements.AddRange(more.Elements());
                    else
                        elements.Add(more);
                }

                return new ListValue(elements);
            case "reverse":
                elements.Reverse();
                return new ListValue(elements);
            case "sort":
                elements.Sort(ScriptComparer.Order);
                return new ListValue(elements);
            case "flat":
                return new ListValue(
                    elements.SelectMany(e => e is { Kind: ScriptValueKind.Array } ? e.Elements() : [e]).ToList()
                );
            case "filter":
                return new ListValue(elements.Where(ValueOperations.IsTrue).ToList());
            default:
                return null;
        }
    }

    private ScriptValue? Over(ScriptValue array, CallSyntax call, LambdaSyntax lambda, EvaluationScope scope)
    {
        var elements = array.Elements();
        var index = 0;
        ScriptValue? Apply(ScriptValue? element) => Call(lambda, scope, element, index++);
        bool Holds(ScriptValue? element) => ValueOperations.IsTrue(Apply(element));
        switch (call.Name)
        {
            case "map":
                return new ListValue(elements.Select(Apply).ToList());
            case "filter":
                return new ListValue(elements.Where(Holds).ToList());
            case "flatMap":
                return new ListValue(
                    elements
                        .Select(Apply)
                        .SelectMany(e => e is { Kind: ScriptValueKind.Array } ? e.Elements() : [e])
                        .ToList()
                );
            case "some":
                return elements.Any(Holds);
            case "every":
                return elements.All(Holds);
            case "find":
                return elements.FirstOrDefault(Holds);
            case "findIndex":
                List<ScriptValue?> all = [.. elements];
                return all.FindIndex(Holds);
            case "reduce":
                return Reduce([.. elements], call, lambda, scope);
            default:
                return null;
        }
    }

    private ScriptValue? Reduce(
        List<ScriptValue?> elements,
        CallSyntax call,
        LambdaSyntax lambda,
        EvaluationScope scope
    )
    {
        var hasSeed = call.Arguments.Count > 1;
        if (!hasSeed && elements.Count == 0)
            return null;
        var result = hasSeed ? Evaluate(call.Arguments[1], scope) : elements[0];
        for (var i = hasSeed ? 0 : 1; i < elements.Count; i++)
            result = Call(lambda, scope, result, elements[i], i);
        return result;
    }

    private ScriptValue? Call(LambdaSyntax lambda, EvaluationScope scope, params ReadOnlySpan<ScriptValue?> arguments)
    {
        for (var i = 0; i < lambda.Parameters.Count; i++)
            scope.Push(lambda.Parameters[i], i < arguments.Length ? arguments[i] : null);
        var value = Evaluate(lambda.Body, scope);
        scope.Pop(lambda.Parameters.Count);
        return value;
    }
}
