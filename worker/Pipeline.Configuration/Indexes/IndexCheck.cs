using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Pipeline.Yaml;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks <c>indexes</c>, and compiles their maps and reduces; errors get their places in the file.</summary>
internal static class IndexCheck
{
    /// <summary>Checks names, maps and fields.</summary>
    public static void Check(SettingsBinder binder, IReadOnlyList<IndexConfiguration> indexes)
    {
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var index in indexes)
        {
            if (binder.FindNode(index, "name") is ScalarNode { IsNull: false } name && !binder.HasFaultAt(name))
            {
                if (index.Name.Length is 0 or > IndexDefinition.MaxNameLength || index.Name.Any(char.IsControl))
                {
                    binder.Report(
                        name,
                        $"an index's name has 1 to {IndexDefinition.MaxNameLength} characters, none of them a control character",
                        null
                    );
                }
                else
                {
                    binder.CheckUnique(lines, name, "the index", index.Name);
                }
            }

            if (binder.FindNode(index, "maps") is SequenceNode { Items.Count: 0 } maps)
            {
                binder.Report(
                    maps,
                    $"index '{index.Name}' has no map",
                    "write at least one: from o in docs.Orders select new { o.Company }"
                );
            }

            foreach (var field in index.Fields.Values)
            {
                if (field.Boost < 0)
                    binder.ReportAt(field, "boost", "a boost is a number from 0", null);
                if (field.Analyzer is not { } analyzer)
                    continue;
                if (Analyzers.Problem(analyzer) is { } problem)
                {
                    binder.ReportAt(
                        field,
                        "analyzer",
                        $"the analyzer '{analyzer}' cannot be used: {problem}",
                        Spelling.Suggest(analyzer, Analyzers.Names)
                    );
                }
                else if (field.Indexing is TermForm.Exact or TermForm.No)
                {
                    binder.ReportAt(
                        field,
                        "indexing",
                        "a field with an analyzer is searched by words",
                        "leave 'indexing' out, or write search"
                    );
                }
            }
        }
    }

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
