namespace Pipeline.Indexing;

/// <summary>Limits of the stored form that the reading and the writing side share.</summary>
internal static class IndexLimits
{
    /// <summary>The most entries that an index may have in its life, deleted ones included.</summary>
    public const int Entries = 2_000_000_000;

    /// <summary>The most bytes of a document's id.</summary>
    public const int DocumentIdLength = 512;
}
