using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>Entries by compiled C#.</summary>
internal sealed class ScriptMapper(IndexScript script) : IIndexMapper
{
    public IndexOutline Outline { get; } =
        new()
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
        var source = new IndexSource(definition.Maps, definition.Reduce);
        if (definition.IsJavaScript)
        {
            var made = JavaScriptCompiler.CompileIndex(
                source,
                [.. definition.Fields.Keys.Where(f => f != IndexFieldDefinition.AllFields)]
            );
            return made.Succeeded
                ? made.Script
                : throw new InvalidIndexException(definition.Name, "its JavaScript has errors", made.Errors);
        }

        var compiled = IndexCompiler.Shared.Compile(source, ct);
        return compiled.Succeeded
            ? new ScriptMapper(compiled.Script)
            : throw new InvalidIndexException(definition.Name, "its C# has errors", compiled.Errors);
    }

    public IIndexMapRun NewRun(IScriptDocuments documents) => new MapRun(new IndexRun(script, documents));

    private sealed class MapRun(IndexRun run) : IIndexMapRun
    {
        public IReadOnlyList<string> LoadedIds => run.LoadedIds;

        public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct) =>
            run.Map(document, output, ct);

        public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct) =>
            run.Map(document, output, ct);

        public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct) =>
            run.Reduce(inputs, output, ct);
    }
}
