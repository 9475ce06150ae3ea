using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Scripting;

namespace Pipeline.Subscriptions;

/// <summary>A definition's compiled filter and projection. Used by one thread at a time.</summary>
internal sealed class SubscriptionFilter : IScriptOutput
{
    private readonly TransformScript? _script;
    private readonly bool _projects;
    private readonly ScriptContext? _context;

    /// <summary>Whether a script of the user's decides.</summary>
    public bool RunsScript => _context is not null;
    private bool _passed;
    private byte[]? _payload;

    private readonly DocumentFilter? _query;

    private SubscriptionFilter(SubscriptionDefinition definition, DocumentFilter? query, TransformScript? script)
    {
        (_query, _script, _projects) = (query, script, definition.Projection is not null);
        ReadsVersions = definition.Revisions || query is { HasRevisions: true };
        Reads = new CursorFilter(
            query is null ? definition.Collections
                : query.Collection is { } collection ? [collection]
                : null,
            definition.Deletes || ReadsVersions,
            [DeadLetter.Collection]
        );
        if (script is not null)
            _context = new ScriptContext(this);
    }

    /// <summary>Compiles the filter and projection of a definition.</summary>
    /// <exception cref="SubscriptionException">They have errors.</exception>
    public static SubscriptionFilter Compile(SubscriptionDefinition definition, CancellationToken ct)
    {
        var query = ReadQuery(definition);
        if (definition.Filter is null && definition.Projection is null)
            return new SubscriptionFilter(definition, query, null);
        var source =
            (definition.Filter is null ? "" : $"{FilterPrefix}{definition.Filter}{FilterSuffix}")
            + $"{ProjectionPrefix}{definition.Projection ?? "new { }"});";
        var compiled = ScriptCompiler.Shared.CompileTransform(source, null, ct);
        if (compiled.Script is { } script)
            return new SubscriptionFilter(definition, query, script);
        SubscriptionFault[] faults = [.. compiled.Errors.Select(e => Locate(definition, e))];
        throw new SubscriptionException(
            definition.Name,
            SubscriptionProblem.Invalid,
            $"The subscription '{definition.Name}' has errors: {string.Join("; ", faults.Select(f => $"{(f.Part == SubscriptionPart.Filter ? "filter" : "projection")} {f.Line}:{f.Column}: {f.Message}"))}"
        )
        {
            Faults = faults,
        };
    }

    private const string FilterPrefix = "if (!(bool)(",
        FilterSuffix = ")) return;\n",
        ProjectionPrefix = "send(\"out\", ";

    /// <summary>Maps a place in the combined script back to the filter or the projection.</summary>
    private static SubscriptionFault Locate(SubscriptionDefinition definition, ScriptError error)
    {
        var filterLines = definition.Filter is null ? 0 : definition.Filter.Count(c => c == '\n') + 1;
        var inFilter = error.Line <= filterLines;
        var text = inFilter ? definition.Filter! : definition.Projection ?? "";
        int line = error.Line - (inFilter ? 0 : filterLines),
            column =
                error.Column
                - (
                    line > 1 ? 0
                    : inFilter ? FilterPrefix.Length
                    : ProjectionPrefix.Length
                );
        var lines = text.Split('\n');
        line = Math.Clamp(line, 1, lines.Length);
        return new SubscriptionFault(
            inFilter ? SubscriptionPart.Filter : SubscriptionPart.Projection,
            line,
            Math.Clamp(column, 1, lines[line - 1].Length + 1),
            error.Message,
            error.Suggestion
        );
    }

    /// <summary>Which changes are read and then tested.</summary>
    public CursorFilter Reads { get; }

    /// <summary>Whether every version is read with the one before it.</summary>
    public bool ReadsVersions { get; }

    /// <summary>Reads the changes of a snapshot that must be tested.</summary>
    public ChangeBatch Read(DatabaseSnapshot snapshot, long after, ChangeLimits? limits = null, bool withDeletes = true)
    {
        var reads = withDeletes ? Reads : Reads with { Deletes = false };
        return ReadsVersions
            ? snapshot.ReadVersions(after, reads.ToChangeFilter(), limits)
            : snapshot.ReadChanges(after, reads.ToChangeFilter(), limits);
    }

    /// <summary>
    /// Holds the versions not yet delivered. Releases all while a resync waits for a worker, since that starts over
    /// anyway.
    /// </summary>
    public void Hold(DocumentTransaction transaction, string key, SubscriptionCheckpoint checkpoint)
    {
        if (ReadsVersions && checkpoint.Resync is not { Through: null })
            transaction.HoldRevisions(key, checkpoint.Position, Reads.Collections);
        else
            transaction.ReleaseRevisions(key);
    }

    /// <summary>
    /// The version before a change, and whether it is known; default if the subscription does not read versions.
    /// </summary>
    public (Document? Previous, bool IsKnown) Previous(in Change change, DatabaseSnapshot snapshot)
    {
        if (!ReadsVersions)
            return default;
        var isKnown = snapshot.TryGetPrevious(change, out var previous);
        return (previous, isKnown);
    }

    /// <summary>Whether the query includes documents.</summary>
    public bool HasIncludes => _query is { HasIncludes: true };

    /// <summary>Reads the documents that the query includes with the delivered ones. Thread-safe.</summary>
    public IReadOnlyDictionary<string, Document?> Include(
        IEnumerable<(Change Change, Document? Previous)> given,
        DatabaseSnapshot snapshot
    ) => _query!.Include(given, snapshot);

    /// <summary>Whether a change is delivered, and with which payload.</summary>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    public bool Passes(
        in Change change,
        Document? previous,
        DatabaseFeedSnapshot documents,
        out ReadOnlyMemory<byte> payload,
        CancellationToken ct
    )
    {
        payload = default;
        if (change.IsDeleted && !ReadsVersions)
            return true;
        if (_query is not null && !_query.Matches(change, documents.Snapshot, previous))
            return false;
        if (_script is null || change.IsDeleted)
            return true;
        (_passed, _payload) = (false, null);
        _context!.Document = documents.ToScriptDocument(change);
        _context.Documents = documents;
        _script.Run(_context, ct);
        payload = _payload;
        return _passed;
    }

    private static DocumentFilter? ReadQuery(SubscriptionDefinition definition)
    {
        try
        {
            return definition.Query is null
                ? null
                : DocumentFilter.Compile(definition.Query, null, definition.Revisions);
        }
        catch (InvalidQueryException e)
        {
            throw new SubscriptionException(
                definition.Name,
                SubscriptionProblem.Invalid,
                $"The query of subscription '{definition.Name}' cannot be used: {e.Message}",
                e
            )
            {
                Faults = [new SubscriptionFault(SubscriptionPart.Query, e.Line, e.Column, e.Reason, e.Suggestion)],
            };
        }
    }

    void IScriptOutput.Send(in ScriptMessage message)
    {
        _passed = true;
        if (_projects)
            _payload = message.Body.ToArray();
    }
}
