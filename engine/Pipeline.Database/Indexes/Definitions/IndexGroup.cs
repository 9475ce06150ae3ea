namespace Pipeline.Database.Indexes;

/// <summary>A group of a map-reduce index.</summary>
/// <param name="Key">Its name within the index: 32 hexadecimal digits.</param>
/// <param name="Result">The result, as a JSON object.</param>
public sealed record IndexGroup(string Key, string Result);

/// <summary>A group down to its documents.</summary>
/// <param name="Outputs">The outputs of the maps, by document.</param>
/// <param name="Parts">The stored partial reductions of a large group, the whole group first.</param>
/// <param name="Scanned">How many documents were mapped to find the outputs.</param>
/// <param name="IsComplete">Whether all outputs of the group are there.</param>
public sealed record IndexGroupTree(
    IReadOnlyList<IndexTrialDocument> Outputs,
    IReadOnlyList<IndexGroupPart> Parts,
    long Scanned,
    bool IsComplete
);

/// <summary>A partial reduction: sixteen parts below each, down to parts of few documents.</summary>
/// <param name="Depth">How many parts are above it.</param>
/// <param name="Path">Which documents: the first digits of the hashes of their ids.</param>
/// <param name="Outputs">How many outputs of maps are in it.</param>
/// <param name="Results">Its reductions, each as a JSON object; none for the whole group.</param>
public sealed record IndexGroupPart(int Depth, string Path, long Outputs, IReadOnlyList<string> Results);
