using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// The documents that a patch reads and writes, all in one transaction. Used by one thread at a time.
/// </summary>
public interface IPatchDocuments : IScriptDocuments
{
    /// <summary>Stores a document.</summary>
    /// <param name="id">Its id; <see langword="null"/> or <c>prefix/</c> to generate one.</param>
    /// <param name="json">The document, with its <c>@metadata</c> if it has any.</param>
    /// <param name="changeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Its id.</returns>
    string Put(string? id, ReadOnlySpan<byte> json, string? changeVector);

    /// <summary>Deletes a document.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="changeVector">The version that must be there: null any.</param>
    /// <returns>Whether there was one.</returns>
    bool Delete(string id, string? changeVector);
}
