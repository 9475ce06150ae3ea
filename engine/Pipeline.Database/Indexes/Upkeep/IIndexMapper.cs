using Pipeline.Database.Json;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.Indexes;

namespace Pipeline.Database.Indexes;

/// <summary>What makes entries of documents: C#, or the paths of an automatic index. Thread-safe; its runs are for one thread each.</summary>
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
