using Pipeline.Documents;

namespace Pipeline.Database.Queries;

/// <summary>A version that <c>include revisions()</c> adds to the results of a query.</summary>
/// <param name="Id">The document.</param>
/// <param name="ChangeVector">The version's change vector.</param>
/// <param name="Before">The time at which it was the current one, if the query asked for it by time.</param>
/// <param name="Revision">The version.</param>
public sealed record IncludedRevision(string Id, string ChangeVector, DateTimeOffset? Before, Document Revision);
