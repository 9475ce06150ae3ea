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

    private SubscriptionFilter(TransformScript? script, bool projects)
    {
        (_script, _projects) = (script, projects);
        if (script is not null) _context = new ScriptContext(this);
    }

    /// <summary>Compiles it.</summary>
    /// <exception cref="SubscriptionException">It has errors.</exception>
    public static SubscriptionFilter Compile(SubscriptionDefinition definition, CancellationToken ct)
    {
        if (definition.Filter is null && definition.Projection is null) return new SubscriptionFilter(null, false);
        string source = (definition.Filter is null ? "" : $"if (!(bool)({definition.Filter})) return;\n") + $"send(\"out\", {definition.Projection ?? "new { }"});";
        ScriptCompilation<TransformScript> compiled = ScriptCompiler.Shared.CompileTransform(source, null, ct);
        if (compiled.Script is { } script) return new SubscriptionFilter(script, definition.Projection is not null);
        throw new SubscriptionException(
            definition.Name, SubscriptionProblem.Invalid, $"The filter of subscription '{definition.Name}' has errors: {string.Join("; ", compiled.Errors.Select(e => e.Message))}");
    }

    /// <summary>Whether a change is to be given, and what of it.</summary>
    /// <exception cref="ScriptRuntimeException">The script threw.</exception>
    public bool Passes(in ScriptDocument document, IScriptDocuments documents, out ReadOnlyMemory<byte> payload, CancellationToken ct)
    {
        payload = default;
        if (_script is null || document.IsDeleted) return true;
        (_passed, _payload) = (false, null);
        _context!.Document = document;
        _context.Documents = documents;
        _script.Run(_context, ct);
        payload = _payload;
        return _passed;
    }

    void IScriptOutput.Send(in ScriptMessage message)
    {
        _passed = true;
        if (_projects) _payload = message.Body.ToArray();
    }
}
