using Pipeline.Scripting.Compilation;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Indexes;

/// <summary>
/// A compiled index definition. Immutable and thread-safe: any number of threads run it, each with its own
/// <see cref="IndexRun"/>.
/// </summary>
public sealed class IndexScript
{
    internal IndexScript(IndexSource source, string hash, ScriptAssembly assembly, IndexShape shape)
    {
        Source = source;
        Hash = hash;
        Assembly = assembly;
        Maps = shape.Maps;
        Fields = shape.Fields;
        SpatialFields = shape.SpatialFields;
        HasDynamicFields = shape.HasDynamicFields;
        GroupByFields = shape.GroupByFields;
        MayRepeat = shape.MayRepeat;
        Collections = Maps.Any(m => m.Collections is null)
            ? null
            : [.. Maps.SelectMany(m => m.Collections!).Distinct(StringComparer.OrdinalIgnoreCase)];
        LoadedCollections = [.. Maps.SelectMany(m => m.LoadedCollections).Distinct(StringComparer.OrdinalIgnoreCase)];
    }

    /// <summary>The user's text.</summary>
    public IndexSource Source { get; }

    /// <summary>SHA-256 of the texts, in hexadecimal: equal for equal texts.</summary>
    public string Hash { get; }

    /// <summary>Its maps, in order.</summary>
    public IReadOnlyList<IndexMap> Maps { get; }

    /// <summary>The collections that its maps read; <see langword="null"/> where one reads all documents.</summary>
    public IReadOnlyList<string>? Collections { get; }

    /// <summary>The collections that LoadDocument names: a change there can change entries.</summary>
    public IReadOnlyList<string> LoadedCollections { get; }

    /// <summary>The fields that the definition names, in the order in which they first appear.</summary>
    public IReadOnlyList<string> Fields { get; }

    /// <summary>Those made by <c>CreateSpatialField</c>.</summary>
    public IReadOnlyList<string> SpatialFields { get; }

    /// <summary>Whether maps name fields as they run.</summary>
    public bool HasDynamicFields { get; }

    /// <summary>
    /// Whether a document may have several entries: by a fan-out, or by several maps. Never of a map-reduce index.
    /// </summary>
    public bool MayRepeat { get; }

    /// <summary>Whether there is a reduce.</summary>
    public bool IsMapReduce => Source.Reduce is not null;

    /// <summary>The names of a reduce's group key, empty if it groups by a constant or there is no reduce.</summary>
    public IReadOnlyList<string> GroupByFields { get; }

    internal ScriptAssembly Assembly { get; }
}
