using System.Text;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

internal sealed partial class QueryEvaluator
{
    /// <summary>The functions that have a value here.</summary>
    internal static readonly IReadOnlyList<string> Functions =
    [
        "id",
        "load",
        "getMetadata",
        "metadataFor",
        "lastModified",
        "score",
        "count",
        "sum",
        "key",
        "min",
        "max",
        "avg",
        "average",
        "exact",
        "exists",
        "startsWith",
        "endsWith",
        "Number",
        "parseInt",
        "parseFloat",
        "String",
        "Boolean",
    ];

    private ScriptValue? Function(CallSyntax call, EvaluationScope scope)
    {
        switch (call.Name)
        {
            case "id":
                return DocumentOf(call, scope)?.Id;
            case "getMetadata" or "metadataFor":
                return DocumentOf(call, scope) is { } described ? DocumentMetadata.Of(described) : null;
            case "lastModified":
                return DocumentOf(call, scope) is { } changed ? DocumentMetadata.LastModified(changed) : null;
            case "score":
                return scope.Score;
            case "key":
                return Key(scope);
            case "count" or "sum" or "min" or "max" or "avg" or "average":
                return scope.Root?.Property(
                    Encoding.UTF8.GetBytes(AggregateDemand.NameOf(call, a => PathOf(a, scope)))
                );
        }

        var value = Evaluate(call.Arguments[0], scope);
        return call.Name switch
        {
            "load" => Load(value),
            "exact" => value,
            "exists" => value is not null,
            "startsWith" => value is { Kind: ScriptValueKind.Text }
                && Evaluate(call.Arguments[1], scope) is { } prefix
                && value.Text.StartsWith(prefix.Text, StringComparison.Ordinal),
            "endsWith" => value is { Kind: ScriptValueKind.Text }
                && Evaluate(call.Arguments[1], scope) is { } suffix
                && value.Text.EndsWith(suffix.Text, StringComparison.Ordinal),
            "String" => value?.Text ?? "",
            "Boolean" => ValueOperations.IsTrue(value),
            _ => Number(value, isInteger: call.Name == "parseInt"),
        };
    }

    /// <summary>The path within the document, without its alias.</summary>
    private static string PathOf(ExpressionSyntax argument, EvaluationScope scope) =>
        argument switch
        {
            FieldSyntax field when field.Segments.Count > 1 && scope.TryGet(field.Segments[0].Name, out _, out _) => (
                field with
                {
                    Segments = [.. field.Segments.Skip(1)],
                }
            ).Path,
            FieldSyntax field => field.Path,
            LiteralSyntax { Value: string name } => name,
            _ => argument.ToString(),
        };

    /// <summary>The document that an argument names; without argument, the one that was found.</summary>
    private Document? DocumentOf(CallSyntax call, EvaluationScope scope)
    {
        if (call.Arguments.Count == 0)
            return scope.Document;
        if (
            call.Arguments[0] is FieldSyntax { Segments: [{ IsArray: false } name] }
            && scope.TryGet(name.Name, out _, out var document)
        )
        {
            return document;
        }

        return
            call.Arguments[0] is CallSyntax { Name: "load", Target: null } load
            && Evaluate(load.Arguments[0], scope) is { Kind: ScriptValueKind.Text } id
            ? _load(id.Text)
            : null;
    }

    private ScriptValue? Load(ScriptValue? ids)
    {
        if (ids is { Kind: ScriptValueKind.Array })
            return new ListValue(ids.Elements().Select(Load).ToList());
        return ids is { Kind: ScriptValueKind.Text } && _load(ids.Text) is { } document
            ? DocumentValue.Create(document.Body.Root)
            : null;
    }

    private static ScriptValue? Key(EvaluationScope scope)
    {
        if (scope.GroupKeys is [var only])
            return scope.Root?.Property(Encoding.UTF8.GetBytes(only.Path));
        var keys = new ObjectValue();
        foreach (var key in scope.GroupKeys)
            keys.Set(key.Path, scope.Root?.Property(Encoding.UTF8.GetBytes(key.Path)));
        return keys;
    }

    private static ScriptValue? Number(ScriptValue? value, bool isInteger)
    {
        if (value is null)
            return null;
        if (value.Kind == ScriptValueKind.Boolean)
            return value.Boolean ? 1 : 0;
        ScriptNumber number;
        if (value.IsNumber)
        {
            number = value.Number;
        }
        else if (
            value.Kind != ScriptValueKind.Text
            || !ScriptNumber.TryParse(Encoding.UTF8.GetBytes(value.Text.Trim()), out number)
        )
        {
            return null;
        }

        if (!isInteger || number.Kind == ScriptValueKind.Integer)
            return number.ToValue();
        return number.TryGetDecimal(out var whole) ? decimal.Truncate(whole) : double.Truncate(number.AsDouble());
    }
}
