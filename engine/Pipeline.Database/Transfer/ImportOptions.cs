namespace Pipeline.Database.Transfer;

/// <summary>How to import.</summary>
public sealed record ImportOptions
{
    /// <summary>What to do with lines that are no documents. Default: import nothing.</summary>
    public ImportErrorHandling OnError { get; init; } = ImportErrorHandling.Abort;

    /// <summary>Errors that the report tells one by one; more are only counted. Default 100.</summary>
    public int MaxReportedErrors { get; init; } = 100;

    /// <summary>How documents are grouped into commits.</summary>
    public BulkInsertOptions BulkInsert { get; init; } = new();

    /// <summary>Told the number of lines stored, about every 10,000 lines; null tells nobody.</summary>
    public IProgress<long>? Progress { get; init; }
}
