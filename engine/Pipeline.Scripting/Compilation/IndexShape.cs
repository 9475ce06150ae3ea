using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>The facts about an index that compilation has found.</summary>
internal sealed record IndexShape(
    IReadOnlyList<IndexMap> Maps,
    IReadOnlyList<string> Fields,
    IReadOnlyList<string> SpatialFields,
    bool HasDynamicFields,
    IReadOnlyList<string> GroupByFields,
    bool MayRepeat
);
