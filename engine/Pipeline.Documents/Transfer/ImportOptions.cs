namespace Pipeline.Documents.Transfer;

/// <summary>How to import.</summary>
public sealed record ImportOptions
{
    /// <summary>How to handle lines that are not documents. Default: import nothing.</summary>
    public ImportErrorHandling OnError { get; init; } = ImportErrorHandling.Abort;

    /// <summary>Errors that the report lists one by one; further ones are only counted. Default 100.</summary>
    public int MaxReportedErrors { get; init; } = 100;

    /// <summary>How documents are grouped into commits.</summary>
    public BulkInsertOptions BulkInsert { get; init; } = new();

    /// <summary>
    /// The name of a state under which the import keeps its <see cref="ImportPlace"/>, in the same commits as the
    /// documents: an import of the same files that was interrupted resumes where it ended, and one that was completed
    /// does nothing. Null (default): no place is kept.
    /// </summary>
    public string? PlaceKey { get; init; }

    /// <summary>Called with the number of stored lines, about every 10,000 lines; null for no calls.</summary>
    public IProgress<long>? Progress { get; init; }
}
