using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Facets;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// Makes results from hits: loads the documents of <c>load</c> and computes <c>select</c>. One thread at a time.
/// </summary>
internal sealed class Projection
{
    private readonly QuerySyntax _query;
    private readonly QueryEvaluator _evaluator;
    private readonly Func<string, Document?> _load;
    private readonly IReadOnlyList<FieldSyntax> _groupKeys;
    private readonly List<string> _names = [];
    private readonly JsonBodyWriter _writer = new();
    private readonly ScriptProjection? _script;
    private readonly CancellationToken _cancellation;

    /// <exception cref="InvalidQueryException">Something is selected that cannot be computed.</exception>
    internal Projection(
        QuerySyntax query,
        QueryParameters parameters,
        DatabaseSnapshot snapshot,
        IProjectionDocuments documents,
        CancellationToken cancellationToken
    )
    {
        Func<string, Document?> load = snapshot.Find;
        _cancellation = cancellationToken;
        _query = query;
        _load = load;
        _evaluator = new QueryEvaluator(parameters.Script, load);
        _groupKeys =
        [
            .. query
                .GroupBy.Select(k =>
                    (k.Expression is CallSyntax array ? array.Arguments[0] : k.Expression) as FieldSyntax
                )
                .OfType<FieldSyntax>()
                .Select(Unaliased),
        ];
        var check = new ExpressionCheck(query);
        foreach (var load_ in query.Load)
            check.Check(load_.Expression);
        if (query.Filter is not null)
            check.Check(query.Filter);
        var isCounted = FacetBinder.IsFaceted(query) || SuggestionQuery.IsSuggestion(query);
        if (isCounted || query.Select is not { } select)
            return;
        var refusal = select.Refusal;
        foreach (var item in select.Items)
        {
            _names.Add(NameOf(item));
            try
            {
                check.Check(item.Expression);
            }
            catch (InvalidQueryException error)
                when (error.Kind == QueryErrorKind.NotSupported && query.GroupBy.Count == 0)
            {
                refusal ??= error;
            }
        }

        if (refusal is not null)
            _script = ScriptProjection.Of(query, _names, parameters, documents, snapshot.Now, refusal);
    }

    /// <summary>Where fields are taken from.</summary>
    internal ProjectionSource Source { get; init; }

    /// <summary>Whether results are whole documents.</summary>
    internal bool IsWhole => _query.Select is null;

    /// <summary>The values of one result: the names of the document and of the loaded documents.</summary>
    internal EvaluationScope Scope(Document? document, BinaryJson stored, double? score)
    {
        var body = document is null ? null : DocumentValue.Create(document.Body.Root);
        var entry = stored.IsEmpty ? null : DocumentValue.Create(stored.Root);
        if (Source is ProjectionSource.FromDocument or ProjectionSource.FromDocumentOrThrow && body is not null)
            entry = null;
        if (
            Source is ProjectionSource.FromIndex or ProjectionSource.FromIndexOrThrow
            && !IsWhole
            && document is not null
        )
        {
            (entry, body) = (entry ?? new ObjectValue(), null);
        }

        var root =
            entry is null ? body
            : body is null ? entry
            : new StoredValue(entry, body);
        var scope = new EvaluationScope
        {
            Root = root,
            Document = document,
            Score = score,
            GroupKeys = _groupKeys,
        };
        if (_query.From.Alias is { } alias)
            scope.Push(alias, root, document);
        foreach (var load in _query.Load)
            Load(load, scope);
        return scope;
    }

    /// <summary>Whether the result passes <c>filter</c>.</summary>
    internal bool Passes(EvaluationScope scope) => _query.Filter is null || _evaluator.IsTrue(_query.Filter, scope);

    /// <summary>The value of an expression for one result.</summary>
    internal ScriptValue? Value(ExpressionSyntax expression, EvaluationScope scope) =>
        _evaluator.Evaluate(expression, scope);

    /// <summary>Computes <c>select</c> for a result; without <c>select</c>, returns the unchanged group.</summary>
    /// <returns>The JSON; null if a script gives no result.</returns>
    internal byte[]? Make(EvaluationScope scope)
    {
        if (_script is not null)
            return _script.Make(scope, _cancellation);
        _writer.Reset(int.MaxValue);
        if (_query.Select is not { } select)
            _writer.Value(scope.Root);
        else if (select.Items is [{ Alias: null } only] && IsObject(only.Expression))
            _writer.Value(_evaluator.Evaluate(only.Expression, scope) ?? new ObjectValue());
        else
            _writer.Value(Object(select, scope));
        return _writer.Written.ToArray();
    }

    private ObjectValue Object(SelectSyntax select, EvaluationScope scope)
    {
        var made = new ObjectValue();
        for (var i = 0; i < select.Items.Count; i++)
        {
            var value = _evaluator.Evaluate(select.Items[i].Expression, scope);
            if (value is null && Source is ProjectionSource.FromIndexOrThrow or ProjectionSource.FromDocumentOrThrow)
                CheckThere(select.Items[i].Expression, scope);
            made.Set(_names[i], value);
        }

        return made;
    }

    /// <summary>Refuses a missing field if the request asks for that.</summary>
    private void CheckThere(ExpressionSyntax expression, EvaluationScope scope)
    {
        if (expression is not FieldSyntax field || scope.Root is null)
            return;
        var name = Unaliased(field).Segments[0].Name;
        if (scope.Root.Properties().Any(p => p.Key == name))
            return;
        var where =
            Source == ProjectionSource.FromIndexOrThrow
                ? "the index has not stored it"
                : $"the document '{scope.Document?.Id}' has none";
        throw new InvalidQueryException(
            QueryErrorKind.Meaning,
            _query.Text,
            field.Span,
            $"there is no field '{name}' to select: {where}",
            "select others, or ask for results without 'OrThrow'"
        );
    }

    /// <summary>Whether the value itself is the result: an object, a whole document, a conditional of such.</summary>
    private bool IsObject(ExpressionSyntax expression) =>
        expression switch
        {
            ObjectSyntax => true,
            CallSyntax { Target: null, Name: "load" } => true,
            FieldSyntax { Segments: [{ IsArray: false } name] } => name.Name == _query.From.Alias
                || _query.Load.Any(l => l.Alias == name.Name && !l.IsArrayAlias),
            ConditionalSyntax conditional => IsObject(conditional.WhenTrue) && IsObject(conditional.WhenFalse),
            _ => false,
        };

    private void Load(AliasedSyntax load, EvaluationScope scope)
    {
        var ids = _evaluator.Evaluate(load.Expression, scope);
        if (ids is { Kind: ScriptValueKind.Array })
        {
            scope.Push(
                load.Alias!,
                new ListValue(
                    ids.Elements()
                        .Select(id =>
                            id is { Kind: ScriptValueKind.Text } && _load(id.Text) is { } found
                                ? DocumentValue.Create(found.Body.Root)
                                : null
                        )
                        .ToList()
                )
            );
            return;
        }

        var document = ids is { Kind: ScriptValueKind.Text } ? _load(ids.Text) : null;
        var value = document is null ? null : DocumentValue.Create(document.Body.Root);
        scope.Push(load.Alias!, load.IsArrayAlias ? new ListValue(new List<ScriptValue?> { value }) : value, document);
    }

    private string NameOf(AliasedSyntax item) =>
        item.Alias
        ?? item.Expression switch
        {
            FieldSyntax field => Unaliased(field).Path,
            CallSyntax { Target: null, Name: "count" } => "Count",
            CallSyntax { Target: null, Name: "sum", Arguments: [FieldSyntax field] } => Unaliased(field).Path,
            CallSyntax call when AggregateDemand.IsAggregate(call) => AggregateDemand.NameOf(
                call,
                a => a is FieldSyntax field ? Unaliased(field).Path : a.ToString()
            ),
            CallSyntax { Target: null, Name: "key" } => _groupKeys is [var only] ? only.Path : "Key",
            var other => other.ToString(),
        };

    private FieldSyntax Unaliased(FieldSyntax field) =>
        field.Segments.Count > 1
        && (field.Segments[0].Name == _query.From.Alias || _query.Load.Any(l => l.Alias == field.Segments[0].Name))
            ? field with
            {
                Segments = [.. field.Segments.Skip(1)],
            }
            : field;
}
