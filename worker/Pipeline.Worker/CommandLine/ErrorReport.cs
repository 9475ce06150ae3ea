using System.Globalization;
using Pipeline.Backups;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.Etl.Connectors;
using Pipeline.Indexing;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary>The report of an error to the user: lines without a stack trace, and the exit code.</summary>
/// <param name="Lines">One line, or one for each error of a configuration.</param>
/// <param name="ExitCode">One of <see cref="ExitCodes"/>.</param>
internal sealed record ErrorReport(IReadOnlyList<string> Lines, int ExitCode)
{
    private const int MaxImportLines = 20;

    /// <summary>Creates the report of an error.</summary>
    /// <param name="error">The error.</param>
    /// <param name="hasUrl">Whether the command can ask a running worker (<c>--url</c>).</param>
    public static ErrorReport Of(Exception error, bool hasUrl) =>
        error switch
        {
            WorkerException e => Line(e.Message, e.ExitCode),
            ConfigurationException e => new ErrorReport([.. e.Diagnostics.Select(d => d.ToString())], ExitCodes.Usage),
            ImportException e => OfImport(e),
            StoreInUseException e => Line(
                $"{Folder(e.Path)} is in use by {e.Holder}; only one process can open a data folder at a time: stop that process first{(hasUrl ? ", or ask it: --url ADDRESS" : "")}",
                ExitCodes.Usage
            ),
            NewerFormatException or ReplicaFolderException => Line(error.Message, ExitCodes.Usage),
            // Its message is that of a server, which goes on to answer reads.
            DiskFullException e => Line(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{e.File}: no space for {e.NeededBytes:N0} more bytes; free space on that disk"
                ),
                ExitCodes.Failed
            ),
            StorageException e => Line(e.Message, ExitCodes.Failed),
            BackupException e => Line(Trimmed(e), ExitCodes.Failed),
            ConnectorException e => Line($"connection '{e.Connection}': {e.Message}", ExitCodes.Failed),
            InvalidDocumentIdException e => Line(Trimmed(e), ExitCodes.Usage),
            SubscriptionException e => Line(
                Trimmed(e),
                e.Problem is SubscriptionProblem.Invalid ? ExitCodes.Usage : ExitCodes.Failed
            ),
            InvalidQueryException e => Line(e.Message, ExitCodes.Usage),
            IndexNotFoundException e => Line(e.Message, ExitCodes.Failed),
            InvalidIndexException e => new ErrorReport(e.Message.Split('\n'), ExitCodes.Usage),
            QueryException or IndexFailedException => Line(Trimmed(error), ExitCodes.Failed),
            OperationCanceledException => Line("interrupted", ExitCodes.Interrupted),
            UnauthorizedAccessException e => Line($"{Trimmed(e)}; check its owner and mode", ExitCodes.Failed),
            IOException e when IsNoSpace(e) => Line(OfNoSpace(e), ExitCodes.Failed),
            IOException e => Line(Trimmed(e), ExitCodes.Failed),
            _ => Line(
                $"a fault of the program: {error.GetType().Name}: {Trimmed(error)}; --verbose shows where",
                ExitCodes.Failed
            ),
        };

    private static ErrorReport OfImport(ImportException error)
    {
        var lines = error.Errors.Take(MaxImportLines).Select(e => e.ToString()).ToList();
        lines.Add(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{error.Failed:N0} {(error.Failed == 1 ? "line is" : "lines are")} not valid; nothing was imported. Correct the file, or leave such lines out with 'pipeline import --on-error skip'"
            )
        );
        return new ErrorReport(lines, ExitCodes.Failed);
    }

    /// <summary>Whether a disk or a quota is full: errno on Unix, a code of Windows in an HRESULT there.</summary>
    private static bool IsNoSpace(IOException error) =>
        OperatingSystem.IsWindows()
            ? (error.HResult & 0xFFFF) is 0x27 or 0x70
            : error.HResult is 28 || error.HResult == (OperatingSystem.IsMacOS() ? 69 : 122);

    /// <summary>The runtime names a file that it opened; only standard output was opened by another program.</summary>
    private static string OfNoSpace(IOException error) =>
        (error.Message.Contains('\'', StringComparison.Ordinal) ? "" : "standard output: ")
        + $"{Trimmed(error)}; free space on that disk";

    private static ErrorReport Line(string text, int exitCode) => new([text.ReplaceLineEndings(" ")], exitCode);

    private static string Trimmed(Exception error) => error.Message.TrimEnd('.');

    private static string Folder(string lockFile) =>
        Path.GetDirectoryName(lockFile) is { Length: > 0 } folder && !Directory.Exists(lockFile) ? folder : lockFile;
}
