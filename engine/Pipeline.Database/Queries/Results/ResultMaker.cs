using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Json;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// Makes the results of one query from its hits, one after the other: filter, select, distinct, includes, page.
/// </summary>
internal sealed class ResultMaker
{
    /// <summary>The largest number of different results that <c>distinct</c> supports.</summary>
    internal const int MaxDistinct = 1_000_000;

    private readonly QuerySyntax _query;
    private readonly Projection _projection;
    private readonly HashSet<string> _seenIds = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<UInt128> _seenValues = [];
    private long _toSkip;
    private long _toTake;
    private long _toScan;
    private bool _includes = true;

    internal ResultMaker(
        QuerySyntax query,
        QueryRequest request,
        QueryPage page,
        DatabaseSnapshot snapshot,
        CancellationToken cancellationToken
    )
    {
        _query = query;
        Includes = new IncludedDocuments(query, snapshot.Find, request.OnHeld);
        Others = new IncludedOthers(query, request.Parameters, snapshot, request.OnHeld);
        _projection = new Projection(
            query,
            request.Parameters,
            snapshot,
            new ProjectionDocuments(snapshot, Includes, Others),
            cancellationToken
        )
        {
            Source = request.Projection,
        };
        (_toSkip, _toTake, _toScan) = (page.Skip, page.Take, page.Scan);
    }

    internal IncludedDocuments Includes { get; }

    internal IncludedOthers Others { get; }

    /// <summary>
    /// Whether a result can be a duplicate or may be left out. Its place on a page is then known only after all results
    /// before it have been made.
    /// </summary>
    internal bool NeedsAll => _query.Filter is not null || _query.Select?.IsDistinct == true;

    /// <summary>Whether the results are whole documents, each once.</summary>
    internal bool IsWhole => _projection.IsWhole;

    /// <summary>Whether a page is full, or the filter has reached its limit of documents.</summary>
    internal bool IsFull => _toTake <= 0 || _toScan <= 0;

    /// <summary>How many documents the filter has examined.</summary>
    internal long Scanned { get; private set; }

    /// <summary>How many have passed.</summary>
    internal long Passed { get; private set; }

    /// <summary>How many were there already.</summary>
    internal long Repeated { get; private set; }

    /// <summary>Skips no results: the search itself has already done that.</summary>
    internal void SkipsNothing() => _toSkip = 0;

    /// <summary>Leaves out included documents: a stream has no place for them.</summary>
    internal void IncludesNothing() => _includes = false;

    /// <summary>Makes the result of a hit; null if it is left out.</summary>
    /// <param name="document">The document; null for a group.</param>
    /// <param name="stored">The fields that the index has stored for it.</param>
    /// <param name="score">Its score, if there is one.</param>
    /// <param name="distance">Its distance in metres, if results are ordered by it.</param>
    /// <param name="isUnique">Whether there can be only one hit for it.</param>
    internal QueryItem? Make(Document? document, BinaryJson stored, double? score, double? distance, bool isUnique)
    {
        Scanned++;
        _toScan--;
        if (IsWhole && document is not null && !isUnique && !_seenIds.Add(document.Id))
        {
            Repeated++;
            return null;
        }

        // Whole documents on earlier pages are skipped unread, unless the query needs them.
        if (IsWhole && _query.Filter is null && _toSkip > 0)
            return Skip();
        var scope = _projection.Scope(document, stored, score);
        if (!_projection.Passes(scope))
            return null;
        QueryItem item;
        if (IsWhole && document is not null)
        {
            if (_toSkip > 0)
                return Skip();
            item = new QueryItem(document, score, distance);
        }
        else
        {
            var distinct = _query.Select?.IsDistinct == true;
            if (_toSkip > 0 && !distinct)
                return Skip();
            if (_projection.Make(scope) is not { } json)
                return null;
            if (distinct && !IsNew(json))
            {
                Repeated++;
                return null;
            }

            if (_toSkip > 0)
                return Skip();
            item = new QueryItem(document?.Id, json, score, distance);
        }

        Passed++;
        _toTake--;
        if (!_includes)
            return item;
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
        if (!_seenValues.Add(System.Buffers.Binary.BinaryPrimitives.ReadUInt128LittleEndian(hash)))
            return false;
        return _seenValues.Count <= MaxDistinct
            ? true
            : throw new Indexing.QueryLimitException(nameof(MaxDistinct), MaxDistinct, _seenValues.Count, "distinct");
    }
}
