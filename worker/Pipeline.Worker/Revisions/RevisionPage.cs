using Pipeline.Database;

namespace Pipeline.Worker.Revisions;

/// <summary>Some versions of a document, the newest first, and how many there are.</summary>
internal sealed record RevisionPage(string Id, long Total, IReadOnlyList<RevisionView> Results)
{
    /// <summary>The most in one page.</summary>
    public const int MaxCount = 1_000;

    /// <summary>How many where nobody says.</summary>
    public const int DefaultCount = 25;

    /// <summary>Reads a page from a snapshot of now.</summary>
    /// <exception cref="InvalidDocumentIdException">The id cannot be one.</exception>
    public static RevisionPage Read(DocumentDatabase database, string id, long start, int count)
    {
        using var snapshot = database.OpenSnapshot("revisions");
        return new RevisionPage(id, snapshot.CountRevisions(id), [.. snapshot.GetRevisions(id, start, count).Select(RevisionView.Of)]);
    }
}
