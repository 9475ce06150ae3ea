namespace Pipeline.Database.Transfer;

/// <summary>The result of importing a dump.</summary>
/// <param name="Documents">Documents stored.</param>
/// <param name="Indexes">Indexes defined.</param>
/// <param name="Identities">Identities raised.</param>
/// <param name="LeftOut">
/// Items of the dump that were left out, with their numbers: revisions, attachments, counters and others, by the dump's
/// names.
/// </param>
/// <param name="Problems">Documents and indexes that could not be imported, and why; the first hundred.</param>
/// <param name="Failed">The number of all of these.</param>
public sealed record RavenDumpReport(
    long Documents,
    int Indexes,
    int Identities,
    IReadOnlyDictionary<string, long> LeftOut,
    IReadOnlyList<string> Problems,
    long Failed
);
