using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Database.Scripts.Runtime;

namespace Pipeline.Database.Queries;

/// <summary>
/// A query that is asked of one document at a time, without an index: <c>from Orders as o where o.Freight > 100</c>. Conditions compare texts
/// with their case. Used by one thread at a time.
/// </summary>
public sealed class DocumentFilter
{
    private readonly QuerySyntax _query;
    private readonly QueryEvaluator _evaluator;

    /// <summary>What the document in hand was read from.</summary>
    private DatabaseSnapshot? _snapshot;

    private DocumentFilter(QuerySyntax query, QueryParameters parameters)
    {
        _query = query;
        _evaluator = new QueryEvaluator(
            name => parameters.Script(name) ?? throw new ArgumentException($"The parameter '{name}' has no value."),
            other => _snapshot!.TryGet(other, out Document? found) ? found : null);
    }

    /// <summary>The collection; null for all documents.</summary>
    public string? Collection => _query.From.Kind == FromKind.AllDocuments ? null : _query.From.Name;

    /// <summary>The query in its canonical form.</summary>
    public string Text => _query.ToString();

    /// <summary>Reads a query.</summary>
    /// <param name="query">The text: <c>from</c> with <c>where</c>.</param>
    /// <param name="parameters">Its parameters; null for none.</param>
    /// <exception cref="InvalidQueryException">It is wrong, or asks for what single documents cannot answer.</exception>
    public static DocumentFilter Compile(string query, QueryParameters? parameters = null)
    {
        QuerySyntax read = QueryParser.Parse(query);
        parameters ??= QueryParameters.None;
        if (read.From.Kind == FromKind.Index) throw Refuse(read, read.From.Span, "documents are tried one by one, an index is not read", "name a collection: from Orders");
        var clauses = new (SourceSpan? Span, string Name)[]
        {
            (read.GroupBy is [var key, ..] ? key.Expression.Span : null, "group by"), (read.OrderBy is [var order, ..] ? order.Expression.Span : null, "order by"),
            (read.Load is [var load, ..] ? load.Expression.Span : null, "load"), (read.Update is null ? null : read.From.Span, "update"), (read.Select?.Span, "select"),
            (read.Include is [var include, ..] ? include.Span : null, "include"), (read.Offset?.Span, "offset"), (read.Limit?.Span, "limit"), (read.Filter?.Span, "filter"),
        };
        foreach ((SourceSpan? span, string name) in clauses)
        {
            if (span is { } there) throw Refuse(read, there, $"'{name}' has no meaning where documents are tried one by one", name == "filter" ? "write it as 'where'" : null);
        }

        var check = new ExpressionCheck(read);
        if (read.Where is not null) check.Check(read.Where);
        return new DocumentFilter(read, parameters);
    }

    /// <summary>Whether a changed document is one of those that the query finds. Its collection is not looked at.</summary>
    /// <param name="change">The document's put.</param>
    /// <param name="snapshot">The snapshot that it was read from.</param>
    public bool Matches(in Change change, DatabaseSnapshot snapshot)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (_query.Where is null) return true;
        _snapshot = snapshot;
        Document document = snapshot.ToDocument(change);
        ScriptValue? root = DocumentValue.Create(change.Body.Root);
        var scope = new EvaluationScope { Root = root, Document = document };
        if (_query.From.Alias is { } alias) scope.Push(alias, root, document);
        return _evaluator.IsTrue(_query.Where, scope);
    }

    private static InvalidQueryException Refuse(QuerySyntax query, SourceSpan span, string reason, string? mend) => new(QueryErrorKind.NotSupported, query.Text, span, reason, mend);
}
