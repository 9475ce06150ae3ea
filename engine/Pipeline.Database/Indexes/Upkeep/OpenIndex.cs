using System.Diagnostics.CodeAnalysis;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>
/// One commit of an index, open for one query. The version stays open until this is disposed, even if it is replaced or
/// deleted before.
/// </summary>
internal sealed class OpenIndex : IOpenIndex
{
    private static readonly ChangeLimits CountedLag = new(1000, 64 * 1024);
    private readonly IndexInstance _instance;
    private readonly IndexDefinition _definition;
    private readonly long _position;
    private bool _disposed;

    /// <summary>Opens an instance that has been acquired for it.</summary>
    public OpenIndex(IndexInstance instance)
    {
        _instance = instance;
        (_definition, DefinitionVersion) = (instance.Definition, instance.DefinitionVersion);

        // First the position, then the reader: it shows all up to there, or more.
        _position = instance.Position;
        Reader = instance.Store.OpenReader();
    }

    public string Name => _definition.Name;

    public IndexReader Reader { get; }

    public bool IsGrouped => _instance.Outline.IsGrouped;

    public bool MayRepeatDocuments => _instance.Outline.MayRepeat;

    public bool HasDynamicFields => _instance.Outline.HasDynamicFields;

    public long DefinitionVersion { get; }

    public bool? WaitSucceeded { get; init; }

    public IEnumerable<string> FieldNames => _instance.Outline.Fields;

    public bool TryGetField(string name, [NotNullWhen(true)] out QueryField? field)
    {
        var isStored = Reader.TryGetField(name, out var stored);
        field = null;
        if (
            !isStored
            && !_instance.Outline.Fields.Contains(name, StringComparer.Ordinal)
            && (name != IndexFieldNames.DocumentId || IsGrouped)
        )
        {
            return false;
        }

        var options = IndexFields.OptionsOf(_definition, name);
        var indexed = isStored ? stored!.Options : IndexFields.ToStored(options);
        field = new QueryField(name, indexed)
        {
            Analyzer = indexed.Indexing == TermForm.Search ? indexed.Analyzer ?? Analyzers.Standard : null,
            IsStored = options.Stored || IsGrouped,
            Boost = options.Boost ?? 1,
            Order = options.Sort ?? OrderType.Unspecified,
        };
        return true;
    }

    public IndexLag LagAt(DatabaseSnapshot snapshot)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        var from = Math.Max(_position, Reader.Progress);
        var last = _instance.State.LastIndexed;
        if (from >= snapshot.LastPosition)
            return new IndexLag(0, last);
        using var missing = snapshot.ReadChanges(from, _instance.Filter, CountedLag);
        return new IndexLag(missing.Count, last);
    }

    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        Reader.Dispose();
        _instance.Release();
    }
}
