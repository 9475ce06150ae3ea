using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// The output of a map or a reduce, once its types are known, and constructs that C# allows but an index must not use.
/// </summary>
internal sealed class IndexMeaning(SemanticModel model, MappedText text, TextSpan user, bool isReduce)
{
    private readonly List<ScriptError> _errors = [];
    private readonly List<string> _fields = [];
    private readonly List<string> _spatial = [];
    private readonly List<string> _loaded = [];
    private TextSpan _result;

    public IReadOnlyList<ScriptError> Errors => _errors;

    public IReadOnlyList<string> Fields => _fields;

    public IReadOnlyList<string> SpatialFields => _spatial;

    public IReadOnlyList<string> LoadedCollections => _loaded;

    public bool HasDynamicFields { get; private set; }

    public void Read(SyntaxNode root)
    {
        var call = root.DescendantNodes()
            .OfType<InvocationExpressionSyntax>()
            .First(i => i.Expression is IdentifierNameSyntax { Identifier.Text: "Entries" } && i.Span.Contains(user));
        var query = call.ArgumentList.Arguments[0].Expression;
        _result = Result(query).Span;
        Output((model.GetSymbolInfo(call).Symbol as IMethodSymbol)?.TypeArguments[0]);
        foreach (var node in query.DescendantNodesAndSelf())
        {
            switch (node)
            {
                case IdentifierNameSyntax name:
                    Pure(name, model.GetSymbolInfo(name).Symbol);
                    break;
                case InvocationExpressionSyntax invocation
                    when model.GetSymbolInfo(invocation).Symbol is IMethodSymbol method:
                    Call(invocation, method);
                    break;
            }
        }
    }

    /// <summary>A reduce is run on its own results too, so maps and reduce give objects of one form.</summary>
    public void MustMatch(IndexMeaning reduce, List<ScriptError> errors)
    {
        var missing = reduce.Fields.Except(_fields).ToList();
        var more = _fields.Except(reduce.Fields).ToList();
        if (missing.Count == 0 && more.Count == 0)
            return;
        var told = string.Join(
            " and ",
            new[]
            {
                missing.Count > 0 ? $"the reduce gives {string.Join(", ", missing)} in addition" : null,
                more.Count > 0 ? $"the reduce lacks {string.Join(", ", more)}" : null,
            }.OfType<string>()
        );
        errors.Add(
            ScriptDiagnostics.Create(
                text,
                _result,
                "SCRIPT014",
                $"maps and reduce must give the same fields: {told}",
                "a reduce is run on its own results too; name each field in both"
            )
        );
    }

    /// <summary>Where the objects are made: the last select, or the last call's last argument.</summary>
    private static ExpressionSyntax Result(ExpressionSyntax query)
    {
        while (true)
        {
            switch (query)
            {
                case ParenthesizedExpressionSyntax parenthesized:
                    query = parenthesized.Expression;
                    continue;
                case QueryExpressionSyntax expression:
                    var body = expression.Body;
                    while (body.Continuation is { } next)
                        body = next.Body;
                    return body.SelectOrGroup is SelectClauseSyntax select
                        ? select.Expression
                        : ((GroupClauseSyntax)body.SelectOrGroup).GroupExpression;
                case InvocationExpressionSyntax
                {
                    ArgumentList.Arguments: [.., { Expression: LambdaExpressionSyntax lambda }]
                } call
                    when call.Expression
                        is MemberAccessExpressionSyntax { Name.Identifier.Text: "Select" or "SelectMany" }:
                    return lambda.ExpressionBody ?? query;
                default:
                    return query;
            }
        }
    }

    private void Output(ITypeSymbol? type)
    {
        if (
            type is INamedTypeSymbol { Name: "Dictionary" or "IDictionary" or "SortedDictionary" } dictionary
            && dictionary.TypeArguments is [{ SpecialType: SpecialType.System_String }, var value]
            && (value.SpecialType == SpecialType.System_Object || value.Name == nameof(ScriptValue))
        )
        {
            HasDynamicFields = true;
            return;
        }

        if (type is not { IsAnonymousType: true })
        {
            Error(
                _result,
                "SCRIPT010",
                isReduce ? "a reduce gives objects with fields" : "a map gives objects with fields",
                "select new { … }"
            );
            return;
        }

        foreach (var property in type.GetMembers().OfType<IPropertySymbol>())
        {
            var element = Element(property.Type);
            if (element is { Name: nameof(CreatedField) })
            {
                HasDynamicFields = true;
                continue;
            }

            _fields.Add(property.Name);
            if (element is { Name: nameof(SpatialField) })
                _spatial.Add(property.Name);
        }
    }

    private static ITypeSymbol? Element(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
            return array.ElementType;
        if (type is INamedTypeSymbol { Name: nameof(Boosted<object>), TypeArguments: [var boosted] })
            return Element(boosted);
        if (
            type is not INamedTypeSymbol named
            || named.SpecialType == SpecialType.System_String
            || named.Name == nameof(ScriptValue)
        )
        {
            return type;
        }

        var sequence = named
            .AllInterfaces.Prepend(named)
            .FirstOrDefault(i =>
                i.OriginalDefinition.SpecialType == SpecialType.System_Collections_Generic_IEnumerable_T
            );
        return sequence is null
            ? named.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
                ? named.TypeArguments[0]
                : named
            : Element(sequence.TypeArguments[0]);
    }

    private void Pure(IdentifierNameSyntax name, ISymbol? symbol)
    {
        if (symbol is null || symbol.ContainingType is not { } type)
            return;
        switch (type.ToDisplayString())
        {
            case "System.DateTime" or "System.DateTimeOffset" when symbol.Name is "Now" or "UtcNow" or "Today":
                Error(
                    name.Span,
                    "SCRIPT015",
                    $"'{type.Name}.{symbol.Name}' gives something else at each run, and an entry stays until its document changes",
                    "index the date, and compare it with now in the query"
                );
                break;
            case "System.Guid" when symbol.Name is "NewGuid" or "CreateVersion7":
                Error(
                    name.Span,
                    "SCRIPT015",
                    $"'Guid.{symbol.Name}' gives something else at each run",
                    "an entry must follow from its document alone"
                );
                break;
            case "System.TimeZoneInfo" when symbol.Name == "Local":
                Error(
                    name.Span,
                    "SCRIPT015",
                    "'TimeZoneInfo.Local' is something else on each machine",
                    "name the zone: TimeZoneInfo.FindSystemTimeZoneById(…)"
                );
                break;
        }
    }

    private void Call(InvocationExpressionSyntax invocation, IMethodSymbol method)
    {
        if (method is { Name: "LoadDocument", ContainingType.Name: nameof(IndexProgram) })
        {
            if (isReduce)
            {
                Error(
                    invocation.Span,
                    "SCRIPT012",
                    "LoadDocument has no place in a reduce",
                    "load in the map, where the loaded document's changes are followed"
                );
                return;
            }

            var collection = invocation.ArgumentList.Arguments[^1].Expression;
            if (model.GetConstantValue(collection) is { HasValue: true, Value: string { Length: > 0 } name })
            {
                _loaded.Add(name);
            }
            else
            {
                Error(
                    collection.Span,
                    "SCRIPT011",
                    "the collection to load from is a text that is known before the map runs",
                    "LoadDocument(id, \"Companies\")"
                );
            }
        }
        else if (
            isReduce
            && invocation.Expression is MemberAccessExpressionSyntax access
            && method.Name is "Count" or "LongCount" or "Average"
            && IsGroup(((MemberAccessExpressionSyntax)invocation.Expression).Expression)
        )
        {
            Error(
                access.Name.Span,
                "SCRIPT013",
                $"'{method.Name}' over a group is wrong where parts of it have been reduced already",
                method.Name == "Average"
                    ? "sum the values and their number, and divide the sums"
                    : "put Count = 1 in the map and write g.Sum(x => x.Count)"
            );
        }
    }

    private bool IsGroup(ExpressionSyntax expression) =>
        model.GetTypeInfo(expression).Type is INamedTypeSymbol { Name: "IGrouping" } group
        && group.TypeArguments[^1].Name == nameof(ScriptValue);

    private void Error(TextSpan span, string code, string message, string? suggestion) =>
        _errors.Add(ScriptDiagnostics.Create(text, span, code, message, suggestion));
}
