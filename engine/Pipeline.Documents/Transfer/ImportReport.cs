namespace Pipeline.Documents.Transfer;

/// <summary>The result of an import.</summary>
/// <param name="Imported">Documents stored; all are durable.</param>
/// <param name="Failed">Lines left out.</param>
/// <param name="Errors">The first of those, with their places.</param>
public sealed record ImportReport(long Imported, long Failed, IReadOnlyList<ImportError> Errors);
