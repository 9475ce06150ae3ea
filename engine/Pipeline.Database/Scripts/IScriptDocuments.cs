namespace Pipeline.Database.Scripts;

/// <summary>What the script's <c>load(id)</c> reads: documents of the same snapshot as the document in hand.</summary>
public interface IScriptDocuments
{
    /// <summary>Finds a document by id; what it gives must stay valid until the run ends.</summary>
    bool TryLoad(string id, out ScriptDocument document);
}
