using Pipeline.Database.Transfer;
using Pipeline.Documents.Transfer;

namespace Pipeline.Hosting.Transfer;

/// <summary>The result of importing a file.</summary>
/// <param name="File">The file's name as given.</param>
/// <param name="Documents">Documents stored.</param>
/// <param name="Indexes">Indexes defined; only a dump has some.</param>
/// <param name="Identities">Identities raised; only a dump has some.</param>
/// <param name="Failed">Lines or items that could not be imported.</param>
/// <param name="Problems">The first of those.</param>
/// <param name="LeftOut">Items of a dump that are never imported, by kind.</param>
internal sealed record ImportedFile(
    string File,
    long Documents,
    int Indexes,
    int Identities,
    long Failed,
    IReadOnlyList<string> Problems,
    IReadOnlyDictionary<string, long> LeftOut
)
{
    /// <summary>The lines of <see cref="Problems"/> with their places; a dump has none.</summary>
    public IReadOnlyList<ImportError> Errors { get; init; } = [];

    /// <summary>The result for a file of lines.</summary>
    public static ImportedFile Of(string file, ImportReport report) =>
        new(
            file,
            report.Imported,
            0,
            0,
            report.Failed,
            [.. report.Errors.Select(e => e.ToString())],
            new Dictionary<string, long>()
        )
        {
            Errors = report.Errors,
        };

    /// <summary>The result for a dump.</summary>
    public static ImportedFile Of(string file, RavenDumpReport report) =>
        new(
            file,
            report.Documents,
            report.Indexes,
            report.Identities,
            report.Failed,
            [.. report.Problems.Select(p => $"{file}: {p}")],
            report.LeftOut
        );
}
