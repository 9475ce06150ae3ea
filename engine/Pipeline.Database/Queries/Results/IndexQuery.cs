using System.Diagnostics;
using System.Text;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Facets;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;

namespace Pipeline.Database.Queries.Results;

/// <summary>Answers a query from an index, with documents from the snapshot.</summary>
internal sealed class IndexQuery
{
    private readonly QuerySyntax _query;
    private readonly QueryRequest _request;
    private readonly IOpenIndex _index;
    private readonly DatabaseSnapshot _snapshot;
    private readonly ResultMaker _maker;
    private readonly QueryPage _page;
    private readonly Searcher _searcher;
    private readonly Query _tree;
    private readonly IReadOnlyList<SearchOrder> _order;
    private readonly SearchOptions _options;
    private readonly bool _isUnique;
    private readonly bool _isScored;
    private readonly IReadOnlyList<FacetDefinition>? _facets;
    private readonly SuggestionQuery? _suggestions;
    private readonly Highlights _highlights;
    private SearchResult? _found;

    internal IndexQuery(
        QuerySyntax query,
        QueryRequest request,
        IOpenIndex index,
        DatabaseSnapshot snapshot,
        CancellationToken cancellationToken
    )
    {
        (_query, _request, _index, _snapshot) = (query, request, index, snapshot);
        _page = QueryPage.Of(query, request);
        Func<string, Document?> load = snapshot.Find;
        _maker = new ResultMaker(query, request, _page, snapshot, cancellationToken);
        _isUnique = index.IsGrouped || !index.MayRepeatDocuments || request.AllowsRepeats;
        var context = new QueryContext(query, request, index, load, snapshot.GetCompareExchange, cancellationToken);
        var binder = new QueryBinder(context);
        _tree = binder.Bind(query.Where);
        _highlights = new Highlights(context, _tree);
        _suggestions = SuggestionQuery.IsSuggestion(query) ? new SuggestionQuery(context) : null;
        _facets = FacetBinder.IsFaceted(query) ? new FacetBinder(context, binder).Bind() : null;
        _order = new OrderBinder(context, binder, request.RandomSeed).Bind();
        _isScored = _order.Any(o => o is ScoreOrder);
        _options = QueryCheck.Asks(query, "timings") ? request.Search with { Timings = true } : request.Search;
        if (request.OnHeld is { } held)
            _options = _options with { OnHeld = held };
        _searcher = new Searcher(index.Reader);
    }

    /// <summary>Whether the place of a result on its page is known only by making all results before it.</summary>
    private bool MustStream => _maker.NeedsAll || (_maker.IsWhole && !_isUnique);

    internal QueryResult Run(CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var lag = _index.LagAt(_snapshot);

        // An index that is not behind has committed after the last change of any document that it reads; only if it is
        // may they be other ones than it knows.
        var documents = lag.IsStale || ResultETag.MayReadOthers(_query) ? _snapshot.LastPosition : -1;
        var exchanged = CompareExchangeTerm.MayBeIn(_query) ? _snapshot.LastCompareExchangeIndex : 0;
        var etag = ResultETag.Of(
            _index.DefinitionVersion,
            _index.Reader.TransactionId,
            _index.Reader.Progress,
            documents,
            exchanged
        );
        var empty = new QueryResult
        {
            IndexName = _index.Name,
            ETag = etag,
            Lag = lag,
            WaitSucceeded = _index.WaitSucceeded,
        };
        if (_request.IfNoneMatch == etag)
            return empty with { IsNotModified = true };
        if (_facets is not null || _suggestions is not null)
        {
            var counted =
                _suggestions?.Run(_request.OnHeld)
                ?? new FacetSearch(_searcher, _index.Reader, _tree, _options).Run(_facets!, cancellationToken);
            if (_facets is not null)
                _maker.Includes.AddFacets(_facets, counted);
            return empty with
            {
                Items = counted,
                Includes = _maker.Includes.Found,
                IncludedPaths = _maker.Includes.Paths,
                Total = counted.Count,
                Duration = Stopwatch.GetElapsedTime(start),
            };
        }

        var items = new List<QueryItem>();
        var explanations = new Dictionary<string, Explanation>(StringComparer.OrdinalIgnoreCase);
        var explains = QueryCheck.Asks(_query, "explanations");
        foreach (var hit in MustStream ? Hits(cancellationToken) : Page(cancellationToken))
        {
            if (_maker.IsFull)
                break;
            if (Make(hit) is not { } item)
                continue;
            _request.OnHeld?.Invoke(item.Bytes);
            items.Add(item);
            if (item.Id is not null)
                _highlights.Add(item.Id, _request.OnHeld);
            if (
                explains
                && item.Id is not null
                && _searcher.Explain(_tree, hit.Entry, _options, cancellationToken) is { } why
            )
            {
                _request.OnHeld?.Invoke(BytesOf(why));
                explanations.TryAdd(item.Id, why);
            }
        }

        return empty with
        {
            Items = items,
            Includes = _maker.Includes.Found,
            IncludedPaths = _maker.Includes.Paths,
            CompareExchangeIncludes = _maker.Others.Values,
            RevisionIncludes = _maker.Others.Revisions,
            Total =
                _found is not null && (!MustStream || (_maker.IsFull && _query.Filter is null))
                    ? _found.Total
                    : _maker.Passed,
            IsTotalExact = MustStream ? !_maker.IsFull : _found!.TotalIsExact,
            Skipped = _maker.Repeated,
            Scanned = _query.Filter is null ? null : _maker.Scanned,
            Plan = _found?.Plan,
            HasTimings = QueryCheck.Asks(_query, "timings"),
            Explanations = explanations,
            Highlights = _highlights.Found,
            Duration = Stopwatch.GetElapsedTime(start),
        };
    }

    // A value with its header and its place in a list.
    private static long BytesOf(Explanation explanation) =>
        96 + (2L * explanation.Description.Length) + explanation.Parts.Sum(BytesOf);

    internal IEnumerable<QueryItem> Stream(CancellationToken cancellationToken)
    {
        _maker.IncludesNothing();
        foreach (var hit in Hits(cancellationToken))
        {
            if (_maker.IsFull)
                yield break;
            if (Make(hit) is { } item)
                yield return item;
        }
    }

    private IReadOnlyList<Hit> Page(CancellationToken cancellationToken)
    {
        _maker.SkipsNothing();
        _found = _searcher.Search(
            _tree,
            _order,
            _page.Skip,
            Math.Min(_page.Take, _index.Reader.LiveCount),
            _options,
            cancellationToken
        );
        return _found.Hits;
    }

    /// <summary>
    /// All hits in order. One search returns at least as many as the page needs and skips entries that cannot be among
    /// them.
    /// </summary>
    private IEnumerable<Hit> Hits(CancellationToken cancellationToken)
    {
        var first = (int)Math.Min(Math.Min(_page.Skip + _page.Take, _index.Reader.LiveCount), _options.MaxSortWindow);
        _found = _searcher.Search(_tree, _order, 0, first, _options, cancellationToken);
        foreach (var hit in _found.Hits)
            yield return hit;
        if (_found.Hits.Count < first || _found.Hits.Count >= _found.Total)
            yield break;
        using var stream = _searcher.Stream(_tree, _order, _options, cancellationToken);
        for (var i = 0; stream.MoveNext(); i++)
        {
            if (i >= _found.Hits.Count)
                yield return stream.Current;
        }
    }

    private QueryItem? Make(Hit hit)
    {
        if (!_index.Reader.TryGetEntry(hit.Entry, out var id, out var stored))
            return null;
        Document? document = null;
        // A document that was deleted since the index read it is no result any more.
        if (!_index.IsGrouped && !_snapshot.TryGet(Encoding.UTF8.GetString(id), out document))
            return null;
        return _maker.Make(
            document,
            stored.IsEmpty ? default : new BinaryJson(stored.ToArray()),
            _isScored ? hit.Score : null,
            Distance(hit.Entry),
            _isUnique
        );
    }

    /// <summary>The distance by which results are ordered, of the entry's first point.</summary>
    private double? Distance(int entry)
    {
        if (
            _order.OfType<DistanceOrder>().FirstOrDefault() is not { } order
            || !_index.Reader.TryGetField(order.Field, out var field)
        )
        {
            return null;
        }

        if (_index.Reader.OpenColumn(field, ColumnKind.Point)?.TryGet(entry, out var code) != true)
            return null;
        (var latitude, var longitude) = PointCode.ToPoint((ulong)code);
        return new HaversineDistance(order.Latitude, order.Longitude).Meters(latitude, longitude);
    }
}
