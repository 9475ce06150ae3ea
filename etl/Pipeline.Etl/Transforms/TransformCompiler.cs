using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Transforms;

/// <summary>Compiles a task's transform; errors are reported at their places in the configuration file.</summary>
internal static class TransformCompiler
{
    /// <summary>The compiled transform, or <see langword="null"/> with the reasons in the list.</summary>
    public static TransformScript? Compile(EtlTaskConfiguration task, List<Diagnostic> diagnostics, bool covers = false)
    {
        ScriptText script = task.Transform;
        if (string.IsNullOrWhiteSpace(script.Text)) return null;
        ScriptCompilation<TransformScript> compilation =
            covers ? ScriptCompiler.CompileWithCoverage(script.Text) : ScriptCompiler.Shared.CompileTransform(script.Text);
        foreach (ScriptError error in compilation.Errors)
        {
            (int line, int column) = script.Locate(error.Line, error.Column);
            diagnostics.Add(new Diagnostic(script.File, line, column, $"transform of '{task.Name}': {error.Code}: {error.Message.TrimEnd('.')}", error.Suggestion));
        }

        return compilation.Script;
    }
}
