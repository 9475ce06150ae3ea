using Acornima;
using Acornima.Ast;
using Jint;
using Pipeline.Scripting;
using Pipeline.Scripting.Compilation;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.JavaScript;

/// <summary>Compiles users' JavaScript to scripts that Jint runs. Thread-safe.</summary>
public static class JavaScriptCompiler
{
    private const int MaxSourceLength = 1 << 20;
    private const int MaxBrackets = 300;

    /// <summary>Compiles a transform: statements with <c>this</c>, <c>loadTo…</c> and <c>load</c>.</summary>
    /// <param name="source">The user's text.</param>
    public static ScriptCompilation<TransformScript> CompileTransform(string source) =>
        Check(source) is { } error
            ? new ScriptCompilation<TransformScript>(null, [error])
            : new ScriptCompilation<TransformScript>(new JavaScriptTransform(source), []);

    /// <summary>
    /// Compiles a patch: statements that change <c>this</c>, with <c>args</c>, <c>put</c>, <c>del</c> and <c>load</c>.
    /// </summary>
    /// <param name="source">The user's text.</param>
    public static ScriptCompilation<PatchScript> CompilePatch(string source) =>
        Check(source) is { } error
            ? new ScriptCompilation<PatchScript>(null, [error])
            : new ScriptCompilation<PatchScript>(new JavaScriptPatch(source), []);

    /// <summary>Compiles a projection: statements that return an object.</summary>
    /// <param name="source">The text.</param>
    /// <param name="names">The names to which each run assigns values.</param>
    public static ScriptCompilation<ProjectionScript> CompileProjection(string source, IReadOnlyList<string> names) =>
        Check(source) is { } error
            ? new ScriptCompilation<ProjectionScript>(null, [error])
            : new ScriptCompilation<ProjectionScript>(new JavaScriptProjection(source, names), []);

    /// <summary>Compiles the maps and the reduce of an index.</summary>
    /// <param name="source">The texts.</param>
    /// <param name="fields">The names of the fields that have options.</param>
    internal static ScriptCompilation<IIndexMapper> CompileIndex(IndexSource source, IReadOnlyList<string> fields)
    {
        List<(string? Name, string Text)> texts =
        [
            .. source.Maps.Select((m, i) => ((string?)(source.Maps.Count == 1 ? "map" : $"map {i + 1}"), m)),
        ];
        if (!string.IsNullOrWhiteSpace(source.Reduce))
            texts.Add(("reduce", source.Reduce));
        ScriptError[] errors =
        [
            .. texts
                .Select(t => Check(t.Text) is { } error ? error with { Source = t.Name } : null)
                .OfType<ScriptError>(),
        ];
        if (errors.Length > 0)
            return new ScriptCompilation<IIndexMapper>(null, errors);
        try
        {
            return new ScriptCompilation<IIndexMapper>(
                new JavaScriptIndex(texts, !string.IsNullOrWhiteSpace(source.Reduce), fields),
                []
            );
        }
        catch (ScriptRuntimeException e)
        {
            return new ScriptCompilation<IIndexMapper>(
                null,
                [new ScriptError(e.ScriptSource, e.Line, e.Column, e.Line, e.Column + 1, "JS", e.Message)]
            );
        }
    }

    /// <summary>
    /// The text becomes part of a function, so it must be complete: a surplus brace must not end that function.
    /// </summary>
    private static ScriptError? Check(string source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (source.Length > MaxSourceLength)
        {
            return new ScriptError(
                null,
                1,
                1,
                1,
                1,
                "JS",
                $"the script has {source.Length} characters, {MaxSourceLength} are allowed"
            );
        }

        if (ScriptNesting.FirstBeyond(source, MaxBrackets) is >= 0 and var position)
        {
            var start = position == 0 ? 0 : source.LastIndexOf('\n', position - 1) + 1;
            return Error(
                source.AsSpan(0, position).Count('\n') + 1,
                position - start,
                $"more than {MaxBrackets} brackets are open here"
            );
        }

        try
        {
            return new ScriptGrammar(Parse(source)).Read() is { } refused
                ? Error(refused.Node.Location.Start.Line, refused.Node.Location.Start.Column, refused.Message)
                : null;
        }
        catch (ScriptPreparationException e)
        {
            return e.InnerException is ParseErrorException parse
                ? Error(Math.Max(parse.LineNumber, 1), parse.Column, parse.Description)
                : Error(1, 0, $"the script cannot be read: {(e.InnerException ?? e).Message}");
        }
        catch (InsufficientExecutionStackException)
        {
            return Error(1, 0, "the script is nested too deeply");
        }
    }

    /// <summary>The tree of a text that stands in a function.</summary>
    internal static Script Parse(string source) =>
        Engine
            .PrepareScript(
                source,
                strict: true,
                options: new ScriptPreparationOptions
                {
                    ParsingOptions = new ScriptParsingOptions { AllowReturnOutsideFunction = true, Tolerant = false },
                }
            )
            .Program!;

    private static ScriptError Error(int line, int column, string message) =>
        new(null, line, column + 1, line, column + 2, "JS", message);
}
