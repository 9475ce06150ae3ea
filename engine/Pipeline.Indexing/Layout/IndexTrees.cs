namespace Pipeline.Indexing;

/// <summary>The trees of an index's store; FORMAT.md, "Indexes", describes them.</summary>
internal static class IndexTrees
{
    /// <summary>One record: the format, counts, progress.</summary>
    public const string State = "state";

    /// <summary>Field number → field.</summary>
    public const string Fields = "fields";

    /// <summary>Field number, term → term's record.</summary>
    public const string Terms = "terms";

    /// <summary>Field number, term's number → term.</summary>
    public const string TermIds = "term-ids";

    /// <summary>List, first entry → chunk of entries and frequencies.</summary>
    public const string Postings = "postings";

    /// <summary>List, first entry → chunk of positions.</summary>
    public const string Positions = "positions";

    /// <summary>Field number, kind, chunk → chunk of a column.</summary>
    public const string Columns = "columns";

    /// <summary>Field number, kind, number, entry → chunk of numbers or points in order.</summary>
    public const string Numbers = "numbers";

    /// <summary>Entry → document id and stored bytes.</summary>
    public const string Entries = "entries";

    /// <summary>Document id → entries.</summary>
    public const string Documents = "documents";

    /// <summary>Kind, chunk → bitmap of deleted entries.</summary>
    public const string Deleted = "deleted";

    public static IndexCorruptException Corrupt(string tree, ReadOnlySpan<byte> key, string reason) =>
        new(tree, key.IsEmpty ? "an unknown key" : Convert.ToHexStringLower(key), reason);
}
