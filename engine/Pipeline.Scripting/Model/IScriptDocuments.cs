namespace Pipeline.Scripting;

/// <summary>
/// The documents that the script's <c>load(id)</c> reads, from the same snapshot as the current document.
/// </summary>
public interface IScriptDocuments
{
    /// <summary>Finds a document by id; the document must stay valid until the run ends.</summary>
    bool TryLoad(string id, out ScriptDocument document);

    /// <summary>Reads an attachment of a document; <see langword="null"/> if there is none.</summary>
    /// <param name="id">The document's id.</param>
    /// <param name="name">The attachment's name.</param>
    /// <param name="maxBytes">The most bytes that its content may have.</param>
    /// <exception cref="ScriptLimitException">It has more.</exception>
    ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) => null;

    /// <summary>
    /// Whether an error is a failure of the store. The script is not at fault then, and the error passes through it
    /// unchanged.
    /// </summary>
    /// <param name="error">The error that ended a run.</param>
    bool IsStoreFailure(Exception error) => false;
}
