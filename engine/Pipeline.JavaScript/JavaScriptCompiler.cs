using Acornima;
using Jint;
using Pipeline.Database.Indexes;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.JavaScript;

/// <summary>Compiles JavaScript to scripts that Jint runs. Thread-safe.</summary>
public sealed class JavaScriptCompiler : IJavaScriptCompiler, IJavaScriptIndexes
{
    private const int MaxSourceLength = 1 << 20;

    /// <inheritdoc/>
    public ScriptCompilation<TransformScript> CompileTransform(string source) =>
        Check(source) is { } error ? new ScriptCompilation<TransformScript>(null, [error]) : new ScriptCompilation<TransformScript>(new JavaScriptTransform(source), []);

    /// <inheritdoc/>
    public ScriptCompilation<PatchScript> CompilePatch(string source) =>
        Check(source) is { } error ? new ScriptCompilation<PatchScript>(null, [error]) : new ScriptCompilation<PatchScript>(new JavaScriptPatch(source), []);

    /// <inheritdoc/>
    public ScriptCompilation<ProjectionScript> CompileProjection(string source, IReadOnlyList<string> names) =>
        Check(source) is { } error ? new ScriptCompilation<ProjectionScript>(null, [error]) : new ScriptCompilation<ProjectionScript>(new JavaScriptProjection(source, names), []);

    /// <inheritdoc/>
    IIndexMapper IJavaScriptIndexes.Compile(IndexDefinition definition)
    {
        List<(string? Name, string Text)> texts = [.. definition.Maps.Select((m, i) => ((string?)(definition.Maps.Count == 1 ? "map" : $"map {i + 1}"), m))];
        if (!string.IsNullOrWhiteSpace(definition.Reduce)) texts.Add(("reduce", definition.Reduce));
        ScriptError[] errors = [.. texts.Select(t => Check(t.Text) is { } error ? error with { Source = t.Name } : null).OfType<ScriptError>()];
        if (errors.Length > 0) throw new InvalidIndexException(definition.Name, "its JavaScript has errors", errors);
        try
        {
            return new JavaScriptIndex(definition, texts);
        }
        catch (ScriptRuntimeException e)
        {
            throw new InvalidIndexException(definition.Name, "its JavaScript has errors", [new ScriptError(e.ScriptSource, e.Line, e.Column, e.Line, e.Column + 1, "JS", e.Message)]);
        }
    }

    /// <summary>The text stands in a function, so it must be whole by itself: a brace too many must not end that function.</summary>
    private static ScriptError? Check(string source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (source.Length > MaxSourceLength) return new ScriptError(null, 1, 1, 1, 1, "JS", $"the script has {source.Length} characters, {MaxSourceLength} are allowed");
        try
        {
            Engine.PrepareScript(source, strict: true, options: new ScriptPreparationOptions { ParsingOptions = new ScriptParsingOptions { AllowReturnOutsideFunction = true, Tolerant = false } });
            return null;
        }
        catch (ScriptPreparationException e) when (e.InnerException is ParseErrorException parse)
        {
            return new ScriptError(null, Math.Max(parse.LineNumber, 1), parse.Column + 1, Math.Max(parse.LineNumber, 1), parse.Column + 2, "JS", parse.Description);
        }
    }
}
