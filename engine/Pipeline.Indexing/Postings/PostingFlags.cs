namespace Pipeline.Indexing;

/// <summary>The first byte of a term's record.</summary>
[Flags]
internal enum PostingFlags : byte
{
    /// <summary>The list lies in the record; entries only, each with one occurrence.</summary>
    None = 0,

    /// <summary>The list lies in chunks.</summary>
    Chunked = 1,

    /// <summary>There are frequencies.</summary>
    Frequencies = 2,

    /// <summary>There are positions.</summary>
    Positions = 4,
}
