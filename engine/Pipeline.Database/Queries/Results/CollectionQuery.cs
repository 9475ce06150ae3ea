using System.Diagnostics;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// Answers a query that needs no index from the documents themselves: a whole collection, or some of it by id.
/// </summary>
internal sealed class CollectionQuery
{
    private readonly QuerySyntax _query;
    private readonly QueryRequest _request;
    private readonly DatabaseSnapshot _snapshot;
    private readonly ResultMaker _maker;
    private readonly IdCondition? _ids;
    private readonly string? _collection;

    internal CollectionQuery(
        QuerySyntax query,
        QueryRequest request,
        DatabaseSnapshot snapshot,
        CancellationToken cancellationToken
    )
    {
        (_query, _request, _snapshot) = (query, request, snapshot);
        _maker = new ResultMaker(query, request, QueryPage.Of(query, request), snapshot, cancellationToken);
        _ids = query.Where is null or LiteralSyntax { Value: true }
            ? null
            : new IdCondition(
                query,
                request.Parameters,
                snapshot.GetCompareExchange,
                request.OnHeld,
                cancellationToken
            );
        _collection = query.From.Kind == FromKind.Collection ? query.From.Name : null;
    }

    internal QueryResult Run(CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var name = _collection is null ? "AllDocs" : "collection/" + _collection;
        var etag = ETag();
        if (_request.IfNoneMatch == etag)
        {
            return new QueryResult
            {
                IndexName = name,
                ETag = etag,
                IsNotModified = true,
            };
        }

        List<QueryItem> items = [];
        foreach (var item in Items(cancellationToken))
        {
            _request.OnHeld?.Invoke(item.Bytes);
            items.Add(item);
        }

        var isWhole = _ids is null && !_maker.NeedsAll;
        // A query for no results is a count.
        var isCounted = !isWhole && _request.Take == 0 && !_maker.NeedsAll;
        return new QueryResult
        {
            Items = items,
            Includes = _maker.Includes.Found,
            IncludedPaths = _maker.Includes.Paths,
            CompareExchangeIncludes = _maker.Others.Values,
            RevisionIncludes = _maker.Others.Revisions,
            Total =
                isWhole ? Total()
                : isCounted ? Candidates().LongCount()
                : _maker.Passed,
            IsTotalExact = isWhole || isCounted || !_maker.IsFull,
            Skipped = _maker.Repeated,
            Scanned = _query.Filter is null ? null : _maker.Scanned,
            IndexName = name,
            ETag = etag,
            Duration = Stopwatch.GetElapsedTime(start),
            HasTimings = QueryCheck.Asks(_query, "timings"),
        };
    }

    private long ETag()
    {
        if (CompareExchangeTerm.MayBeIn(_query))
            return ResultETag.Of(_snapshot.LastPosition, _snapshot.LastCompareExchangeIndex);
        if (_collection is null || ResultETag.MayReadOthers(_query))
            return ResultETag.Of(_snapshot.LastPosition);
        (var documents, var newest) = _snapshot.GetContents(_collection);
        return ResultETag.Of(documents, newest);
    }

    internal IEnumerable<QueryItem> Stream(CancellationToken cancellationToken)
    {
        _maker.IncludesNothing();
        return Items(cancellationToken);
    }

    private IEnumerable<QueryItem> Items(CancellationToken cancellationToken)
    {
        foreach (var document in Candidates())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (_maker.IsFull)
                yield break;
            if (_maker.Make(document, default, score: null, distance: null, isUnique: true) is { } item)
                yield return item;
        }
    }

    private IEnumerable<Document> Candidates()
    {
        IEnumerable<Document> documents;
        if (_ids?.Only is { } ids)
        {
            documents = ids.Select(_snapshot.Find)
                .OfType<Document>()
                .Where(IsInCollection)
                .Where(d => _ids.Holds(d.Id));
        }
        else if (_ids is not null)
        {
            documents = (_ids.Prefix is { } prefix ? _snapshot.GetByPrefix(prefix).Where(IsInCollection) : All()).Where(
                d => _ids.Holds(d.Id)
            );
        }
        else
        {
            documents = All();
        }

        if (_query.OrderBy is not [var order, ..])
            return documents;
        // All that is left is an order by id. Backwards the documents' ids are kept, not the documents.
        if (!order.IsDescending)
            return _ids?.Only is null ? documents : documents.OrderBy(d => d.Id, StringComparer.OrdinalIgnoreCase);
        List<string> rising = [.. documents.Select(d => d.Id)];
        rising.Sort(StringComparer.OrdinalIgnoreCase);
        rising.Reverse();
        return rising.Select(id => _snapshot.TryGet(id, out var found) ? found : null).OfType<Document>();
    }

    private IEnumerable<Document> All() =>
        _collection is null || _query.OrderBy.Count > 0
            ? _snapshot.GetInIdOrder(_collection)
            : _snapshot.GetByCollection(_collection);

    private bool IsInCollection(Document document) =>
        _collection is null || document.Collection.Equals(_collection, StringComparison.OrdinalIgnoreCase);

    private long Total()
    {
        var statistics = _snapshot.GetStatistics();
        return _collection is null
            ? statistics.Documents
            : statistics
                .Collections.FirstOrDefault(c => c.Name.Equals(_collection, StringComparison.OrdinalIgnoreCase))
                ?.Documents
                ?? 0;
    }
}
