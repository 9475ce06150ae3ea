using System.Text.Json;
using Pipeline.Documents;

namespace Pipeline.Hosting.Revisions;

/// <summary>A version of a document, as <c>/revisions</c> shows it; a deletion has no document.</summary>
internal sealed record RevisionView(
    long Position,
    string ChangeVector,
    string Id,
    string Collection,
    DateTimeOffset LastModified,
    bool IsDeleted,
    int Bytes,
    JsonElement? Document
)
{
    /// <summary>Creates the view of a version.</summary>
    public static RevisionView Of(Document version)
    {
        if (version.IsDeleted)
        {
            return new RevisionView(
                version.Position,
                version.ChangeVector,
                version.Id,
                version.Collection,
                version.LastModified,
                true,
                0,
                null
            );
        }

        return new RevisionView(
            version.Position,
            version.ChangeVector,
            version.Id,
            version.Collection,
            version.LastModified,
            false,
            version.Body.Data.Length,
            JsonElement.Parse(version.ToString())
        );
    }
}
