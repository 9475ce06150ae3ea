namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>What a projection reads, and gives along beside its results. Used by one thread at a time.</summary>
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
    /// <returns>The value; null where there is none.</returns>
    CompareExchangeValue? GetCompareExchange(string key);
}
