using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>Compiles the scripts of patches, and keeps some hundred of them for the next call. Thread-safe.</summary>
public static class PatchScripts
{
    private const int MaxKept = 256;
    private static readonly Lock Gate = new();
    private static readonly Dictionary<string, PatchScript> Kept = new(StringComparer.Ordinal);

    /// <summary>Compiles a script, or returns a kept one.</summary>
    /// <param name="script">The user's text.</param>
    /// <exception cref="ScriptRuntimeException">The script has errors.</exception>
    public static PatchScript Compile(string script)
    {
        ArgumentNullException.ThrowIfNull(script);
        lock (Gate)
        {
            if (Kept.TryGetValue(script, out var known))
                return known;
        }

        var compilation = JavaScriptCompiler.CompilePatch(script);
        if (!compilation.Succeeded)
        {
            var error = compilation.Errors[0];
            throw new ScriptRuntimeException(
                $"The script of the patch is not JavaScript: line {error.Line}, column {error.Column}: {error.Message}",
                null,
                error.Line,
                error.Column
            );
        }

        lock (Gate)
        {
            if (Kept.Count >= MaxKept)
                Kept.Clear();
            Kept[script] = compilation.Script;
        }

        return compilation.Script;
    }
}
