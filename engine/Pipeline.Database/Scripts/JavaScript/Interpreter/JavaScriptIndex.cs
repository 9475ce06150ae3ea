using System.Text.RegularExpressions;
using Pipeline.Database.Indexes;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>An index definition in JavaScript: <c>map('Orders', o => ({ … }))</c>, several of them, and <c>groupBy(…).aggregate(…)</c>. Thread-safe; a run has an engine
/// of its own.</summary>
internal sealed partial class JavaScriptIndex : IIndexMapper
{
    private readonly IReadOnlyList<(string? Name, string Text)> _texts;

    /// <exception cref="ScriptRuntimeException">The definition fails before any document is there.</exception>
    public JavaScriptIndex(IndexDefinition definition, IReadOnlyList<(string? Name, string Text)> texts)
    {
        _texts = texts;
        string[] loaded = [.. texts.SelectMany(t => Loads().Matches(t.Text)).Select(m => m.Groups[1].Value).Distinct(StringComparer.OrdinalIgnoreCase)];
        using var trial = new JavaScriptIndexRun(texts, [], null);
        if (trial.Maps.Count == 0) throw new ScriptRuntimeException("the definition calls map(collection, function) nowhere", "map", 1, 1);
        bool isGrouped = !string.IsNullOrWhiteSpace(definition.Reduce);
        if (isGrouped && !trial.IsGrouped) throw new ScriptRuntimeException("the reduce is groupBy(key).aggregate(function)", "reduce", 1, 1);
        Outline = new IndexOutline
        {
            Collections = trial.Maps.Any(m => m.Collection is null) ? null : [.. trial.Maps.Select(m => m.Collection!).Distinct(StringComparer.OrdinalIgnoreCase)],
            LoadedCollections = loaded,
            Fields = [.. definition.Fields.Keys.Where(f => f != IndexFieldDefinition.AllFields)],
            IsGrouped = isGrouped,
            HasDynamicFields = true,
            MayRepeat = !isGrouped,
        };
    }

    /// <inheritdoc/>
    public IndexOutline Outline { get; }

    /// <inheritdoc/>
    public IIndexMapRun NewRun(IScriptDocuments documents) => new JavaScriptIndexRun(_texts, Outline.LoadedCollections, documents);

    [GeneratedRegex("""\bload\s*\(.*?,\s*['"`]([^'"`]+)['"`]\s*\)""", RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Loads();
}
