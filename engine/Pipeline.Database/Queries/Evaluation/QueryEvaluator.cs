using System.Text;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>
/// Computes the expressions of <c>select</c> and <c>filter</c> for one document after the other. One thread at a time.
/// </summary>
/// <remarks>
/// Conditions compare as JavaScript does: texts with their case. Missing and null are the same. What is beyond the
/// methods known here is refused by
/// <see cref="ExpressionCheck"/> before a query runs.
/// </remarks>
internal sealed partial class QueryEvaluator
{
    private readonly Func<string, ScriptValue?> _parameter;
    private readonly Func<string, Document?> _load;

    /// <param name="parameter">Gives the value of a parameter that is known to be there.</param>
    /// <param name="load">Reads a document of the query's snapshot.</param>
    internal QueryEvaluator(Func<string, ScriptValue?> parameter, Func<string, Document?> load)
    {
        _parameter = parameter;
        _load = load;
    }

    /// <summary>Computes a value.</summary>
    internal ScriptValue? Evaluate(ExpressionSyntax expression, EvaluationScope scope) =>
        expression switch
        {
            LiteralSyntax literal => ScriptValue.From(literal.Value),
            ParameterSyntax parameter => _parameter(parameter.Name),
            FieldSyntax field => Field(field, scope),
            MemberSyntax member => Property(Evaluate(member.Target, scope), member.Name),
            IndexSyntax index => Index(Evaluate(index.Target, scope), Evaluate(index.Index, scope)),
            LogicalSyntax logical => Logical(logical, scope),
            NotSyntax not => !ValueOperations.IsTrue(Evaluate(not.Operand, scope)),
            ComparisonSyntax comparison => Compare(comparison, scope),
            BetweenSyntax between => Between(between, scope),
            InSyntax within => In(within, scope),
            ArithmeticSyntax arithmetic => ValueOperations.Apply(
                arithmetic.Operator,
                Evaluate(arithmetic.Left, scope),
                Evaluate(arithmetic.Right, scope)
            ),
            NegateSyntax negate => ValueOperations.Negate(Evaluate(negate.Operand, scope)),
            ConditionalSyntax conditional => Evaluate(
                ValueOperations.IsTrue(Evaluate(conditional.Condition, scope))
                    ? conditional.WhenTrue
                    : conditional.WhenFalse,
                scope
            ),
            ArraySyntax array => new ListValue(array.Elements.Select(e => Evaluate(e, scope)).ToList()),
            ObjectSyntax made => Object(made, scope),
            CallSyntax { Target: null } call => Function(call, scope),
            CallSyntax call => Method(call, scope),
            _ => throw new InvalidOperationException($"{expression.GetType().Name} has no value."),
        };

    /// <summary>Whether a condition holds.</summary>
    internal bool IsTrue(ExpressionSyntax condition, EvaluationScope scope) =>
        ValueOperations.IsTrue(Evaluate(condition, scope));

    /// <summary>A property; of an array or text, <c>length</c>.</summary>
    internal static ScriptValue? Property(ScriptValue? value, string name)
    {
        if (value is null)
            return null;
        if (name == "length")
        {
            if (value.Kind == ScriptValueKind.Array)
                return value.ElementCount;
            if (value.Kind == ScriptValueKind.Text)
                return value.Text.Length;
        }

        return value.Property(Encoding.UTF8.GetBytes(name));
    }

    private static ScriptValue? Field(FieldSyntax field, EvaluationScope scope)
    {
        var first = field.Segments[0];
        if (
            scope.GroupKeys.Count > 0
            && field.Segments is not [{ IsArray: false }]
            && scope.GroupKeys.FirstOrDefault(k => k.Path == field.Path) is { } key
        )
        {
            return scope.Root?.Property(Encoding.UTF8.GetBytes(key.Path));
        }

        var next = 0;
        var value = scope.Root;
        if (scope.TryGet(first.Name, out var named, out var document))
        {
            value = named;
            next = 1;
            if (field.Segments is [_, { Name: "@metadata" }, ..] && document is not null)
            {
                value = DocumentMetadata.Of(document);
                next = 2;
            }

            if (first.IsArray)
                return Each(value, field, next);
        }
        else if (first.Name == "@metadata" && scope.Document is not null)
        {
            value = DocumentMetadata.Of(scope.Document);
            next = 1;
        }

        return Path(value, field, next);
    }

    private static ScriptValue? Path(ScriptValue? value, FieldSyntax field, int next)
    {
        for (; next < field.Segments.Count && value is not null; next++)
        {
            value = Property(value, field.Segments[next].Name);
            if (field.Segments[next].IsArray)
                return Each(value, field, next + 1);
        }

        return value;
    }

    /// <summary>The rest of a path in every element, put in one list.</summary>
    private static ListValue Each(ScriptValue? array, FieldSyntax field, int next)
    {
        var found = new List<ScriptValue?>();
        if (array is { Kind: ScriptValueKind.Array })
        {
            foreach (var element in array.Elements())
            {
                var value = Path(element, field, next);
                if (value is { Kind: ScriptValueKind.Array } && field.Segments.Skip(next).Any(s => s.IsArray))
                    found.AddRange(value.Elements());
                else if (value is not null)
                    found.Add(value);
            }
        }

        return new ListValue(found);
    }

    private static ScriptValue? Index(ScriptValue? target, ScriptValue? index)
    {
        if (target is null || index is null)
            return null;
        if (index.Kind == ScriptValueKind.Text)
            return Property(target, index.Text);
        if (
            !index.IsNumber
            || index.Number.AsDouble() is not (>= 0 and <= int.MaxValue)
            || double.Truncate(index.Number.AsDouble()) != index.Number.AsDouble()
        )
        {
            return null;
        }

        var at = (int)index.Number.AsDouble();
        return target.Kind != ScriptValueKind.Text ? target.Element(at)
            : at < target.Text.Length ? target.Text[at].ToString()
            : null;
    }

    private ScriptValue? Logical(LogicalSyntax logical, EvaluationScope scope)
    {
        ScriptValue? value = null;
        foreach (var operand in logical.Operands)
        {
            value = Evaluate(operand, scope);
            if (ValueOperations.IsTrue(value) == (logical.Operator == LogicalOperator.Or))
                break;
        }

        return value;
    }

    private ScriptValue Compare(ComparisonSyntax comparison, EvaluationScope scope)
    {
        var right = Evaluate(comparison.Right, scope);
        if (
            comparison.Operator is not (ComparisonOperator.Equal or ComparisonOperator.NotEqual)
            && IsOpen(comparison.Right, right)
        )
        {
            return Any(comparison.Left, scope, left => left is not null);
        }

        return Any(comparison.Left, scope, left => ValueOperations.Compare(comparison.Operator, left, right));
    }

    private ScriptValue Between(BetweenSyntax between, EvaluationScope scope)
    {
        ScriptValue? low = Evaluate(between.Low, scope),
            high = Evaluate(between.High, scope);
        bool isLowOpen = IsOpen(between.Low, low),
            isHighOpen = IsOpen(between.High, high);
        return Any(
            between.Operand,
            scope,
            v =>
                v is not null
                && (isLowOpen || ValueOperations.Compare(ComparisonOperator.GreaterOrEqual, v, low))
                && (isHighOpen || ValueOperations.Compare(ComparisonOperator.LessOrEqual, v, high))
        );
    }

    private static bool IsOpen(ExpressionSyntax end, ScriptValue? value) =>
        Binding.OpenEnd.Is(end, value is { Kind: ScriptValueKind.Text } ? value.Text : null);

    private ScriptValue In(InSyntax within, EvaluationScope scope)
    {
        var values = new List<ScriptValue?>();
        foreach (var item in within.Values)
        {
            var value = Evaluate(item, scope);
            if (item is ParameterSyntax && value is { Kind: ScriptValueKind.Array })
                values.AddRange(value.Elements());
            else
                values.Add(value);
        }

        if (!within.IsAll)
            return Any(within.Operand, scope, v => values.Exists(x => ScriptComparer.AreEqual(x, v)));
        var operand = Evaluate(within.Operand, scope);
        List<ScriptValue?> there = operand is { Kind: ScriptValueKind.Array } ? [.. operand.Elements()] : [operand];
        return values.TrueForAll(x => there.Exists(v => ScriptComparer.AreEqual(x, v)));
    }

    /// <summary>Whether a condition holds for a value; of a path through an array, for any of its values.</summary>
    private ScriptValue Any(ExpressionSyntax operand, EvaluationScope scope, Func<ScriptValue?, bool> condition)
    {
        var value = Evaluate(operand, scope);
        var isMany =
            operand is FieldSyntax field
            && field.Segments.Any(s => s.IsArray)
            && value is { Kind: ScriptValueKind.Array };
        return isMany ? value!.Elements().Any(condition) : condition(value);
    }

    private ObjectValue Object(ObjectSyntax made, EvaluationScope scope)
    {
        var value = new ObjectValue();
        foreach (var property in made.Properties)
        {
            var part = Evaluate(property.Value, scope);
            if (property.Name is not null)
            {
                value.Set(property.Name, part);
            }
            else if (part is { Kind: ScriptValueKind.Object })
            {
                foreach ((var name, var spread) in part.Properties())
                    value.Set(name, spread);
            }
        }

        return value;
    }
}
