using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// The documents and values that a projection reads and includes with its results. Used by one thread at a time.
/// </summary>
public interface IProjectionDocuments : IScriptDocuments
{
    /// <summary>Gives a document along.</summary>
    /// <param name="id">Its id.</param>
    void Include(string id);

    /// <summary>Gives a compare-exchange value along.</summary>
    /// <param name="key">Its key.</param>
    void IncludeCompareExchange(string key);

    /// <summary>Reads a compare-exchange value.</summary>
    /// <param name="key">Its key.</param>
    /// <returns>The part of the value that scripts see; null if there is none.</returns>
    BinaryValue? GetCompareExchange(string key);
}
