namespace Pipeline.Storage;

/// <summary>The kind of a page; the byte at offset 4 of its header.</summary>
internal enum PageType : byte
{
    /// <summary>Never written: no valid page has it.</summary>
    None = 0,

    /// <summary>One of the two slots that name the last checkpoint (pages 0 and 1).</summary>
    Meta = 1,

    /// <summary>A bitmap of the pages of one group; a set bit is a page in use.</summary>
    Allocation = 2,

    /// <summary>An inner page of a tree.</summary>
    Branch = 3,

    /// <summary>A page of keys and values of a tree.</summary>
    Leaf = 4,

    /// <summary>
    /// The first page of a run that holds one large value; the other pages of the run have no header.
    /// </summary>
    Overflow = 5,
}
