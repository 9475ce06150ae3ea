namespace Pipeline.Database.Transfer;

/// <summary>What the import of a dump did.</summary>
/// <param name="Documents">Documents stored.</param>
/// <param name="Indexes">Indexes defined.</param>
/// <param name="Identities">Identities raised.</param>
/// <param name="LeftOut">What of the dump was left out, and how many: revisions, attachments, counters and others, by the dump's own names.</param>
/// <param name="Problems">Documents and indexes that could not be taken over, and why; the first hundred.</param>
/// <param name="Failed">How many these are.</param>
public sealed record RavenDumpReport(long Documents, int Indexes, int Identities, IReadOnlyDictionary<string, long> LeftOut, IReadOnlyList<string> Problems, long Failed);
