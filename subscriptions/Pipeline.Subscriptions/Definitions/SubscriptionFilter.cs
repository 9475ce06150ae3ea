using Pipeline.Database;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Scripts;

namespace Pipeline.Subscriptions;

/// <summary>A definition's filter and projection, compiled. Used by one thread at a time.</summary>
internal sealed class SubscriptionFilter : IScriptOutput
{
    private readonly TransformScript? _script;
    private readonly bool _projects;
    private readonly ScriptContext? _context;
    private bool _passed;
    private byte[]? _payload;

    private readonly DocumentFilter? _query;

    private SubscriptionFilter(SubscriptionDefinition definition, DocumentFilter? query, TransformScript? script)
    {
        (_query, _script, _projects) = (query, script, definition.Projection is not null);
        Reads = new CursorFilter(query is null ? definition.Collections : query.Collection is { } collection ? [collection] : null, definition.Deletes, [DeadLetter.Collection]);
        if (script is not null) _context = new ScriptContext(this);
    }

    /// <summary>Compiles it.</summary>
    /// <exception cref="SubscriptionException">It has errors.</exception>
    public static SubscriptionFilter Compile(SubscriptionDefinition definition, CancellationToken ct)
    {
        DocumentFilter? query = ReadQuery(definition);
        if (definition.Filter is null && definition.Projection is null) return new SubscriptionFilter(definition, query, null);
        string source = (definition.Filter is null ? "" : $"{FilterPrefix}{definition.Filter}{FilterSuffix}") + $"{ProjectionPrefix}{definition.Projection ?? "new { }"});";
        ScriptCompilation<TransformScript> compiled = ScriptCompiler.Shared.CompileTransform(source, null, ct);
        if (compiled.Script is { } script) return new SubscriptionFilter(definition, query, script);
        SubscriptionFault[] faults = [.. compiled.Errors.Select(e => Locate(definition, e))];
        throw new SubscriptionException(
            definition.Name, SubscriptionProblem.Invalid, $"The subscription '{definition.Name}' has errors: {string.Join("; ", faults.Select(f => $"{(f.Part == SubscriptionPart.Filter ? "filter" : "projection")} {f.Line}:{f.Column}: {f.Message}"))}")
        { Faults = faults };
    }

    private const string FilterPrefix = "if (!(bool)(", FilterSuffix = ")) return;\n", ProjectionPrefix = "send(\"out\", ";

    /// <summary>The place in filter or projection of a place in the script made of both.</summary>
    private static SubscriptionFault Locate(SubscriptionDefinition definition, ScriptError error)
    {
        int filterLines = definition.Filter is null ? 0 : definition.Filter.Count(c => c == '\n') + 1;
        bool inFilter = error.Line <= filterLines;
        string text = inFilter ? definition.Filter! : definition.Projection ?? "";
        int line = error.Line - (inFilter ? 0 : filterLines), column = error.Column - (line > 1 ? 0 : inFilter ? FilterPrefix.Length : ProjectionPrefix.Length);
        string[] lines = text.Split('\n');
        line = Math.Clamp(line, 1, lines.Length);
        return new SubscriptionFault(inFilter ? SubscriptionPart.Filter : SubscriptionPart.Projection, line, Math.Clamp(column, 1, lines[line - 1].Length + 1), error.Message, error.Suggestion);
    }

    /// <summary>Which changes are read, and then tried.</summary>
    public CursorFilter Reads { get; }

    /// <summary>Whether a change is to be given, and what of it.</summary>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    public bool Passes(in Change change, DatabaseFeedSnapshot documents, out ReadOnlyMemory<byte> payload, CancellationToken ct)
    {
        payload = default;
        if (change.IsDeleted) return true;
        if (_query is not null && !_query.Matches(change, documents.Snapshot)) return false;
        if (_script is null) return true;
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
            return definition.Query is null ? null : DocumentFilter.Compile(definition.Query);
        }
        catch (InvalidQueryException e)
        {
            throw new SubscriptionException(definition.Name, SubscriptionProblem.Invalid, $"The query of subscription '{definition.Name}' cannot be used: {e.Message}", e)
            {
                Faults = [new SubscriptionFault(SubscriptionPart.Query, e.Line, e.Column, e.Reason, e.Suggestion)],
            };
        }
    }

    void IScriptOutput.Send(in ScriptMessage message)
    {
        _passed = true;
        if (_projects) _payload = message.Body.ToArray();
    }
}
