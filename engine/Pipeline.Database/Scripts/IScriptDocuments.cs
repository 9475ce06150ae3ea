namespace Pipeline.Database.Scripts;

/// <summary>What the script's <c>load(id)</c> reads: documents of the same snapshot as the document in hand.</summary>
public interface IScriptDocuments
{
    /// <summary>Finds a document by id; what it gives must stay valid until the run ends.</summary>
    bool TryLoad(string id, out ScriptDocument document);

    /// <summary>Reads an attachment of a document; <see langword="null"/> where there is none.</summary>
    /// <param name="id">The document's id.</param>
    /// <param name="name">The attachment's name.</param>
    /// <param name="maxBytes">The most bytes that its content may have.</param>
    /// <exception cref="ScriptLimitException">It has more.</exception>
    ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) => null;
}
