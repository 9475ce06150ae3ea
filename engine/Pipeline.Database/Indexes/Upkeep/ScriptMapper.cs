using Pipeline.Database.Json;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.Indexes;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.Database.Indexes;

/// <summary>Entries by compiled C#.</summary>
internal sealed class ScriptMapper(IndexScript script) : IIndexMapper
{
    public IndexOutline Outline { get; } = new()
    {
        Collections = script.Collections,
        LoadedCollections = script.LoadedCollections,
        Fields = script.Fields,
        IsGrouped = script.IsMapReduce,
        HasDynamicFields = script.HasDynamicFields,
        MayRepeat = script.MayRepeat,
    };

    /// <summary>Compiles a definition.</summary>
    /// <exception cref="InvalidIndexException">It does not compile.</exception>
    public static IIndexMapper Compile(IndexDefinition definition, CancellationToken ct = default)
    {
        if (JavaScriptIndexes.IsJavaScript(definition)) return JavaScriptCompiler.CompileIndex(definition);
        ScriptCompilation<IndexScript> compiled = IndexCompiler.Shared.Compile(new IndexSource(definition.Maps, definition.Reduce), ct);
        return compiled.Succeeded
            ? new ScriptMapper(compiled.Script)
            : throw new InvalidIndexException(definition.Name, "its C# has errors", compiled.Errors);
    }

    public IIndexMapRun NewRun(IScriptDocuments documents) => new MapRun(new IndexRun(script, documents));

    private sealed class MapRun(IndexRun run) : IIndexMapRun
    {
        public IReadOnlyList<string> LoadedIds => run.LoadedIds;

        public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct) => run.Map(document, output, ct);

        public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct) => run.Map(document, output, ct);

        public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct) => run.Reduce(inputs, output, ct);
    }
}
