using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;

namespace Pipeline.Etl.Configuration;

/// <summary>Compiles the maps and reduces of a configuration and reports errors at their places in the file.</summary>
internal static class IndexCheck
{
    /// <summary>Adds the errors in an index's C#.</summary>
    public static void Compile(IndexConfiguration index, List<Diagnostic> diagnostics)
    {
        if (index.Maps.Count == 0 || index.Maps.Any(m => string.IsNullOrWhiteSpace(m.Text)))
            return;
        var compilation = IndexCompiler.Shared.Compile(
            new IndexSource([.. index.Maps.Select(m => m.Text)], index.Reduce?.Text)
        );
        foreach (var error in compilation.Errors)
        {
            var text = TextOf(index, error.Source);
            (var line, var column) = text.Locate(error.Line, error.Column);
            diagnostics.Add(
                new Diagnostic(
                    text.File,
                    line,
                    column,
                    $"{error.Source ?? "map"} of '{index.Name}': {error.Code}: {error.Message.TrimEnd('.')}",
                    error.Suggestion
                )
            );
        }
    }

    private static ScriptText TextOf(IndexConfiguration index, string? source) =>
        source == "reduce" && index.Reduce is not null ? index.Reduce
        : source is not null
        && source.StartsWith("map ", StringComparison.Ordinal)
        && int.TryParse(source.AsSpan(4), out var number)
        && number <= index.Maps.Count
            ? index.Maps[number - 1]
        : index.Maps[0];
}
