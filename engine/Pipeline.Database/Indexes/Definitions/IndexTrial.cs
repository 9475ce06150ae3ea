namespace Pipeline.Database.Indexes;

/// <summary>What a definition gives for some documents. Nothing of it is stored.</summary>
/// <param name="Fields">The fields that the maps name.</param>
/// <param name="IsGrouped">Whether it has a reduce.</param>
/// <param name="Documents">The documents, as they were asked for or with the newest first.</param>
/// <param name="Groups">The groups of these documents, in the order of their first document; empty without a reduce.</param>
public sealed record IndexTrial(
    IReadOnlyList<string> Fields,
    bool IsGrouped,
    IReadOnlyList<IndexTrialDocument> Documents,
    IReadOnlyList<IndexTrialGroup> Groups
);

/// <summary>What the maps give for a document.</summary>
/// <param name="Id">The document's id.</param>
/// <param name="Entries">The entries, or the outputs for the reduce, each as a JSON object.</param>
/// <param name="Error">Why it failed; null if it did not.</param>
public sealed record IndexTrialDocument(string Id, IReadOnlyList<string> Entries, IndexError? Error);

/// <summary>What the reduce gives for the outputs of a group.</summary>
/// <param name="Documents">The documents with outputs in the group, each once.</param>
/// <param name="Results">The results, each as a JSON object.</param>
/// <param name="Error">Why it failed; null if it did not.</param>
public sealed record IndexTrialGroup(IReadOnlyList<string> Documents, IReadOnlyList<string> Results, IndexError? Error);
