namespace Pipeline.Documents;

/// <content>What the indexes above the documents do for the storage.</content>
public abstract partial class DocumentStorage
{
    /// <summary>The indexes follow the change feed, too: the position up to which each needs nothing more.</summary>
    internal abstract IReadOnlyList<(string Name, long Position)> GetIndexPositions();

    /// <summary>Has the indexes follow the definitions of an accepted state; a replica calls it after each commit.</summary>
    internal abstract void RefreshIndexes(DatabaseSnapshot accepted);

    /// <summary>Has the indexes match the accepted definitions before this node takes writes as leader.</summary>
    internal abstract Task PrepareIndexesAsync();

    /// <summary>Takes up what the leader does for indexes, where the last leader left it.</summary>
    internal abstract void TakeOverIndexes(CancellationToken ended);

    /// <summary>Ends the indexes. Nothing follows the change feed then.</summary>
    internal abstract ValueTask CloseIndexesAsync();
}
