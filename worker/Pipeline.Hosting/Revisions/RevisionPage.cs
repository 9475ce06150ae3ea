using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Hosting.Revisions;

/// <summary>A page of a document's versions, newest first, and their total number.</summary>
internal sealed record RevisionPage(string Id, long Total, IReadOnlyList<RevisionView> Results)
{
    /// <summary>The maximum page size.</summary>
    public const int MaxCount = 1_000;

    /// <summary>The default page size.</summary>
    public const int DefaultCount = 25;

    /// <summary>Reads a page from a new snapshot.</summary>
    /// <exception cref="InvalidDocumentIdException">The id is invalid.</exception>
    public static RevisionPage Read(DocumentDatabase database, string id, long start, int count)
    {
        using var snapshot = database.OpenSnapshot("revisions");
        return new RevisionPage(
            id,
            snapshot.CountRevisions(id),
            [.. snapshot.GetRevisions(id, start, count).Select(RevisionView.Of)]
        );
    }
}
