namespace Pipeline.Client;

/// <summary>
/// Reads former versions of documents, for collections whose revisions the database keeps. The session does not track
/// them.
/// </summary>
public interface ISessionRevisions
{
    /// <summary>The versions of a document, newest first, with the current one.</summary>
    /// <param name="id">The document.</param>
    /// <param name="skip">How many newer versions are left out.</param>
    /// <param name="take">How many versions there may be.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    ValueTask<IReadOnlyList<Revision<T>>> ListAsync<T>(
        string id,
        int skip = 0,
        int take = 25,
        CancellationToken cancellationToken = default
    )
        where T : class;

    /// <summary>The version with a change vector.</summary>
    /// <returns>The version; <see langword="null"/> if the database does not have it.</returns>
    ValueTask<Revision<T>?> LoadAsync<T>(string changeVector, CancellationToken cancellationToken = default)
        where T : class;

    /// <summary>The version of a document at a time, by the server's clock.</summary>
    /// <returns>The newest kept version that is not younger; <see langword="null"/> if there is none.</returns>
    ValueTask<Revision<T>?> LoadAsync<T>(string id, DateTimeOffset time, CancellationToken cancellationToken = default)
        where T : class;
}

/// <summary>A version of a document.</summary>
/// <param name="Id">The document.</param>
/// <param name="ChangeVector">The version.</param>
/// <param name="LastModified">When it was written.</param>
/// <param name="Document">The document; <see langword="null"/> for a deletion.</param>
public sealed record Revision<T>(string Id, string ChangeVector, DateTimeOffset LastModified, T? Document)
    where T : class
{
    /// <summary>Whether the document was deleted with this version.</summary>
    public bool IsDeletion => Document is null;
}
