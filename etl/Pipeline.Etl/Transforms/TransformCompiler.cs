using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.JavaScript;
using Pipeline.Scripting;
using Pipeline.Yaml;

namespace Pipeline.Etl.Transforms;

/// <summary>Compiles a task's transform; errors are reported at their places in the configuration file.</summary>
internal static class TransformCompiler
{
    /// <summary>The compiled transform, or <see langword="null"/> with the reasons in the list.</summary>
    public static TransformScript? Compile(EtlTaskConfiguration task, List<Diagnostic> diagnostics, bool covers = false)
    {
        if (task.Class is { } name)
            return Find(name, task, diagnostics);
        var script = task.Transform;
        if (string.IsNullOrWhiteSpace(script.Text))
            return null;
        var isJavaScript = task.Language == ScriptLanguage.JavaScript;
        ScriptHelper[] helpers = [.. task.Helpers.Select(h => new ScriptHelper(h.Key, h.Value.Text))];
        var compilation =
            isJavaScript ? JavaScriptCompiler.CompileTransform(script.Text)
            : covers ? ScriptCompiler.CompileWithCoverage(script.Text, helpers)
            : ScriptCompiler.Shared.CompileTransform(script.Text, helpers);
        foreach (var error in compilation.Errors)
        {
            // Every task finds a helper's fault; ConfigurationFile.Order drops the repeats.
            var text = error.Source is null ? script : task.Helpers[error.Source];
            var where = error.Source is null ? $"transform of '{task.Name}'" : $"helper '{error.Source}'";
            (var line, var column) = text.Locate(error.Line, error.Column);
            diagnostics.Add(
                new Diagnostic(
                    text.File,
                    line,
                    column,
                    $"{where}: {(isJavaScript ? "" : error.Code + ": ")}{error.Message.TrimEnd('.')}",
                    error.Suggestion
                )
            );
        }

        return compilation.Script;
    }

    private static ClassTransform? Find(string name, EtlTaskConfiguration task, List<Diagnostic> diagnostics)
    {
        if (task.Classes?.TryFind(name, out var transform) == true)
            return transform;
        var suggestion = task.Classes is null
            ? "run the task in the program that has the class, which registers it with AddEtlTransform<…>()"
            : Spelling.Suggest(name, task.Classes.Names)
                ?? "register it with AddEtlTransform<…>(), or in WorkerOptions.Transforms";
        (var file, var line, var column) = task.ClassPlace;
        diagnostics.Add(
            new Diagnostic(
                file,
                line,
                column,
                $"class of '{task.Name}': this program has no transform '{name}'",
                suggestion
            )
        );
        return null;
    }

    /// <summary>
    /// Reports destinations that the transform writes as literals and that no target of the connection's kind accepts.
    /// </summary>
    /// <param name="task">A task whose transform compiles. Nothing is reported for JavaScript.</param>
    /// <param name="connection">The connection that it sends to.</param>
    /// <param name="diagnostics">Takes the faults.</param>
    public static void CheckDestinations(
        EtlTaskConfiguration task,
        ConnectionConfiguration connection,
        List<Diagnostic> diagnostics
    )
    {
        if (task.Language == ScriptLanguage.JavaScript)
            return;
        foreach (var destination in ScriptDestinations.Find(task.Transform.Text))
        {
            if (connection.FindNameFault(destination.Name) is not { } fault)
                continue;
            (var line, var column) = task.Transform.Locate(destination.Line, destination.Column);
            diagnostics.Add(
                new Diagnostic(task.Transform.File, line, column, $"transform of '{task.Name}': {fault}", null)
            );
        }
    }
}
