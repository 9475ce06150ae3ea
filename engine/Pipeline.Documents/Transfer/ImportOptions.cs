using System.Globalization;

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

/// <summary>How an import handles lines that are not documents.</summary>
public enum ImportErrorHandling
{
    /// <summary>Reads everything through first, and imports nothing if anything is wrong.</summary>
    Abort = 0,

    /// <summary>Leaves such lines out, reports them, and imports the rest.</summary>
    Skip,
}

/// <summary>A line that is not a document.</summary>
/// <param name="File">The file's name as given.</param>
/// <param name="Line">The line, from 1.</param>
/// <param name="ByteInLine">The byte within the line, from 1.</param>
/// <param name="Reason">The problem, as a clause.</param>
public sealed record ImportError(string File, long Line, long ByteInLine, string Reason)
{
    /// <summary>One line for people and editors: <c>file:line:byte: reason</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{File}:{Line}:{ByteInLine}: {Reason}");
}

/// <summary>The result of an import.</summary>
/// <param name="Imported">Documents stored; all are durable.</param>
/// <param name="Failed">Lines left out.</param>
/// <param name="Errors">The first of those, with their places.</param>
public sealed record ImportReport(long Imported, long Failed, IReadOnlyList<ImportError> Errors);
