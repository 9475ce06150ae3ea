using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Database.Queries.Results;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries;

/// <summary>
/// A query that tests one document at a time, without an index: <c>from Orders as o where o.Freight > 100 include
/// o.Company</c>. Conditions compare texts with their case. Only one thread at a time may call <see cref="Matches"/>;
/// the other members are thread-safe.
/// </summary>
/// <remarks>
/// With <c>from Orders (Revisions = true)</c> it tests every version together with the one before: <c>where
/// Current.Freight > Previous.Freight</c>. Current is null for a deletion, Previous for a document's first version.
/// </remarks>
public sealed class DocumentFilter
{
    private readonly QuerySyntax _query;
    private readonly QueryParameters _parameters;

    private readonly QueryEvaluator _evaluator;

    /// <summary>The snapshot of the current document.</summary>
    private DatabaseSnapshot? _snapshot;

    private DocumentFilter(QuerySyntax query, QueryParameters parameters)
    {
        (_query, _parameters) = (query, parameters);
        _evaluator = Evaluator(id => _snapshot!.Find(id));
    }

    /// <summary>The collection; null for all documents.</summary>
    public string? Collection => _query.From.Kind == FromKind.AllDocuments ? null : _query.From.Name;

    /// <summary>The query in its canonical form.</summary>
    public string Text => _query.ToString();

    /// <summary>Whether it is asked of versions, each with the one before.</summary>
    public bool HasRevisions => _query.From.Revisions;

    /// <summary>Whether it includes documents to which those that it finds lead.</summary>
    public bool HasIncludes => _query.Include.Count > 0;

    /// <summary>Reads a query.</summary>
    /// <param name="query">The text: <c>from</c> with <c>where</c> and <c>include</c>.</param>
    /// <param name="parameters">Its parameters; null for none.</param>
    /// <exception cref="InvalidQueryException">It is invalid, or needs more than single documents.</exception>
    public static DocumentFilter Compile(string query, QueryParameters? parameters = null) =>
        Compile(query, parameters, false);

    /// <summary>Reads a query.</summary>
    /// <param name="query">The text: <c>from</c> with <c>where</c> and <c>include</c>.</param>
    /// <param name="parameters">Its parameters; null for none.</param>
    /// <param name="revisions">Whether it is asked of versions even if it does not say so.</param>
    /// <exception cref="InvalidQueryException">It is invalid, or needs more than single documents.</exception>
    public static DocumentFilter Compile(string query, QueryParameters? parameters, bool revisions)
    {
        var read = QueryParser.Parse(query);
        if (read.From.Kind == FromKind.Index)
        {
            throw Refuse(
                read,
                read.From.Span,
                "documents are tried one by one, an index is not read",
                "name a collection: from Orders"
            );
        }

        if (revisions)
            read = read with { From = read.From with { Revisions = true } };
        var clauses = new (SourceSpan? Span, string Name)[]
        {
            (read.GroupBy is [var key, ..] ? key.Expression.Span : null, "group by"),
            (read.OrderBy is [var order, ..] ? order.Expression.Span : null, "order by"),
            (read.Load is [var load, ..] ? load.Expression.Span : null, "load"),
            (read.Update is null ? null : read.From.Span, "update"),
            (read.Select?.Span, "select"),
            (read.Offset?.Span, "offset"),
            (read.Limit?.Span, "limit"),
            (read.Filter?.Span, "filter"),
        };
        foreach ((var span, var name) in clauses)
        {
            if (span is { } there)
            {
                throw Refuse(
                    read,
                    there,
                    $"'{name}' has no meaning where documents are tried one by one",
                    name == "filter" ? "write it as 'where'" : null
                );
            }
        }

        string[] roots = ["Current", "Previous", .. read.From.Alias is { } alias ? new[] { alias } : []];
        var check = new ExpressionCheck(read)
        {
            Roots = read.From.Revisions ? roots : null,
            Suggestion = field => $"write {(read.From.Alias is { } given ? given + "." : "")}Current.{field.Path}",
        };
        if (read.Where is not null)
            check.Check(read.Where);
        foreach (var include in read.Include)
        {
            if (include is not FieldSyntax)
            {
                throw Refuse(
                    read,
                    include.Span,
                    $"include {include} is not supported here",
                    "paths to ids are: include Company"
                );
            }

            check.Check(include);
        }

        return new DocumentFilter(read, parameters ?? QueryParameters.None);
    }

    /// <summary>Whether a changed document matches the query. Its collection is not checked.</summary>
    /// <param name="change">The document's put; with <see cref="HasRevisions"/> also a deletion.</param>
    /// <param name="snapshot">The snapshot that it was read from.</param>
    /// <param name="previous">With <see cref="HasRevisions"/>: the version before; null if there was none.</param>
    public bool Matches(in Change change, DatabaseSnapshot snapshot, Document? previous = null)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (_query.Where is null)
            return true;
        _snapshot = snapshot;
        return _evaluator.IsTrue(_query.Where, Scope(change, snapshot, previous));
    }

    /// <summary>Reads the documents to which the paths of <c>include</c> lead.</summary>
    /// <param name="changes">The changes that match the query, each with the version before.</param>
    /// <param name="snapshot">The snapshot from which the documents are read.</param>
    /// <returns>
    /// Each document once, under the id as written in the first document that leads to it; lookups ignore case. The
    /// value is null if it is missing.
    /// </returns>
    public IReadOnlyDictionary<string, Document?> Include(
        IEnumerable<(Change Change, Document? Previous)> changes,
        DatabaseSnapshot snapshot
    )
    {
        ArgumentNullException.ThrowIfNull(changes);
        ArgumentNullException.ThrowIfNull(snapshot);
        var included = new IncludedDocuments(_query, snapshot.Find);
        var evaluator = Evaluator(snapshot.Find);
        foreach ((var change, var previous) in changes)
        {
            if (HasRevisions || !change.IsDeleted)
                included.Add(evaluator, Scope(change, snapshot, previous));
        }

        return included.Found;
    }

    private QueryEvaluator Evaluator(Func<string, Document?> load) =>
        new(
            name => _parameters.Script(name) ?? throw new ArgumentException($"The parameter '{name}' has no value."),
            load
        );

    private EvaluationScope Scope(in Change change, DatabaseSnapshot snapshot, Document? previous)
    {
        var document = snapshot.ToDocument(change);
        var root = change.IsDeleted ? null : DocumentValue.Create(change.Body.Root);
        if (HasRevisions)
        {
            var pair = new ObjectValue();
            pair.Set("Current", root);
            pair.Set("Previous", previous is null ? null : DocumentValue.Create(previous.Body.Root));
            root = pair;
        }

        var scope = new EvaluationScope { Root = root, Document = document };
        if (_query.From.Alias is { } alias)
            scope.Push(alias, root, document);
        return scope;
    }

    private static InvalidQueryException Refuse(
        QuerySyntax query,
        SourceSpan span,
        string reason,
        string? suggestion
    ) => new(QueryErrorKind.NotSupported, query.Text, span, reason, suggestion);
}
