using Pipeline.Indexing;

namespace Pipeline.Database.Indexes;

/// <summary>An index in use: its store stays open until this is disposed, also if the index is replaced or deleted meanwhile. Thread-safe.</summary>
public sealed class IndexLease : IDisposable
{
    private readonly IndexInstance _instance;
    private int _disposed;

    internal IndexLease(IndexInstance instance) => _instance = instance;

    /// <summary>What the store was built from.</summary>
    public IndexDefinition Definition => _instance.Definition;

    /// <summary>The stored index. Entries bear document ids in lower case; those of a map-reduce index a group's name, and the result as stored bytes.</summary>
    public IndexStore Store => _instance.Store;

    /// <summary>The fields that the definition names.</summary>
    public IReadOnlyList<string> Fields => _instance.Mapper.Fields;

    /// <summary>Whether entries are results of a reduce.</summary>
    public bool IsMapReduce => _instance.Mapper.IsMapReduce;

    /// <summary>The collections that it maps; null for all documents.</summary>
    public IReadOnlyList<string>? Collections => _instance.Mapper.Collections;

    /// <summary>Every change up to this position is in the index.</summary>
    public long Position => _instance.Position;

    /// <summary>How texts of a field are indexed: by words where this gives <see cref="FieldIndexing.Search"/>.</summary>
    public FieldIndexing IndexingOf(string field) => IndexFields.IndexingOf(IndexFields.OptionsOf(Definition, field));

    /// <summary>The name of the analyzer of a field; null where it has none.</summary>
    public string? AnalyzerOf(string field) =>
        IndexingOf(field) == FieldIndexing.Search ? IndexFields.OptionsOf(Definition, field).Analyzer ?? "standard" : null;

    /// <summary>Gives the index back.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0) _instance.Release();
    }
}
