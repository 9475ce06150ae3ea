using Pipeline.Database.Scripts.Indexes;

namespace Pipeline.Database.Scripts.Compilation;

/// <summary>What compiling has found out about an index.</summary>
internal sealed record IndexShape(
    IReadOnlyList<IndexMap> Maps, IReadOnlyList<string> Fields, IReadOnlyList<string> SpatialFields, bool HasDynamicFields, IReadOnlyList<string> GroupByFields, bool MayRepeat);
