using Pipeline.Database.Json;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Results;

/// <summary>Makes the results of one query out of what was found, one after the other: filter, select, distinct, includes, page.</summary>
internal sealed class ResultMaker
{
    /// <summary>Results that <c>distinct</c> can tell apart, at most.</summary>
    internal const int MaxDistinct = 1_000_000;

    private readonly QuerySyntax _query;
    private readonly Projection _projection;
    private readonly HashSet<string> _seenIds = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<UInt128> _seenValues = [];
    private long _toSkip;
    private long _toTake;
    private long _toScan;
    private bool _includes = true;

    internal ResultMaker(QuerySyntax query, QueryRequest request, QueryPage page, DatabaseSnapshot snapshot, CancellationToken cancellationToken)
    {
        _query = query;
        Includes = new IncludedDocuments(query, snapshot.Find, request.OnHeld);
        Others = new IncludedOthers(query, request.Parameters, snapshot, request.OnHeld);
        _projection = new Projection(query, request.Parameters, snapshot, new ProjectionDocuments(snapshot, Includes, Others), cancellationToken) { Source = request.Projection };
        (_toSkip, _toTake, _toScan) = (page.Skip, page.Take, page.Scan);
    }

    internal IncludedDocuments Includes { get; }

    internal IncludedOthers Others { get; }

    /// <summary>Whether a result can be one that was there already, or may be left out: the place on a page is then known only by making all before it.</summary>
    internal bool NeedsAll => _query.Filter is not null || _query.Select?.IsDistinct == true;

    /// <summary>Whether whole documents are given, each once.</summary>
    internal bool IsWhole => _projection.IsWhole;

    /// <summary>Whether a page is full, or the filter may look at no more.</summary>
    internal bool IsFull => _toTake <= 0 || _toScan <= 0;

    /// <summary>How many the filter has looked at.</summary>
    internal long Scanned { get; private set; }

    /// <summary>How many have passed.</summary>
    internal long Passed { get; private set; }

    /// <summary>How many were there already.</summary>
    internal long Repeated { get; private set; }

    /// <summary>Forgets what is to be passed over: the search itself has done that.</summary>
    internal void SkipsNothing() => _toSkip = 0;

    /// <summary>Leaves out what the query includes: a stream has no place for it.</summary>
    internal void IncludesNothing() => _includes = false;

    /// <summary>Makes the result of something found; null where it is left out.</summary>
    /// <param name="document">The document; null for a group.</param>
    /// <param name="stored">What the index has stored of it.</param>
    /// <param name="score">Its score, where there is one.</param>
    /// <param name="distance">Its distance in metres, where results are ordered by it.</param>
    /// <param name="isUnique">Whether it can be found only once.</param>
    internal QueryItem? Make(Document? document, BinaryJson stored, double? score, double? distance, bool isUnique)
    {
        Scanned++;
        _toScan--;
        if (IsWhole && document is not null && !isUnique && !_seenIds.Add(document.Id))
        {
            Repeated++;
            return null;
        }

        // Whole documents on pages before are not looked at, unless something is asked of them.
        if (IsWhole && _query.Filter is null && _toSkip > 0) return Skip();
        EvaluationScope scope = _projection.Scope(document, stored, score);
        if (!_projection.Passes(scope)) return null;
        QueryItem item;
        if (IsWhole && document is not null)
        {
            if (_toSkip > 0) return Skip();
            item = new QueryItem(document, score, distance);
        }
        else
        {
            bool distinct = _query.Select?.IsDistinct == true;
            if (_toSkip > 0 && !distinct) return Skip();
            if (_projection.Make(scope) is not { } json) return null;
            if (distinct && !IsNew(json))
            {
                Repeated++;
                return null;
            }

            if (_toSkip > 0) return Skip();
            item = new QueryItem(document?.Id, json, score, distance);
        }

        Passed++;
        _toTake--;
        if (!_includes) return item;
        Includes.Add(_projection, scope);
        Others.Add(_projection, scope, document);
        return item;
    }

    private QueryItem? Skip()
    {
        Passed++;
        _toSkip--;
        return null;
    }

    // Of a hash of 128 bits no two different results are ever the same.
    private bool IsNew(byte[] json)
    {
        Span<byte> hash = stackalloc byte[32];
        System.Security.Cryptography.SHA256.HashData(json, hash);
        if (!_seenValues.Add(System.Buffers.Binary.BinaryPrimitives.ReadUInt128LittleEndian(hash))) return false;
        return _seenValues.Count <= MaxDistinct ? true : throw new Indexing.QueryLimitException(nameof(MaxDistinct), MaxDistinct, _seenValues.Count, "distinct");
    }
}
