namespace Pipeline.Indexing;

/// <summary>What is wanted of a posting list beside its entries.</summary>
public enum PostingDetail
{
    /// <summary>Nothing.</summary>
    Entries,

    /// <summary>How often each entry has the term.</summary>
    Frequencies,

    /// <summary>Frequencies, and where in the entry's text the term stands.</summary>
    Positions,
}
