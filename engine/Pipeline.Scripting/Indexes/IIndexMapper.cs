using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Indexes;

/// <summary>
/// Makes entries from documents: C#, or the paths of an automatic index. Thread-safe; each of its runs is for one
/// thread.
/// </summary>
internal interface IIndexMapper
{
    IndexOutline Outline { get; }

    IIndexMapRun NewRun(IScriptDocuments documents);
}

/// <summary>One thread's run of a mapper.</summary>
internal interface IIndexMapRun
{
    IReadOnlyList<string> LoadedIds { get; }

    void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct);

    void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct);

    void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct);
}
