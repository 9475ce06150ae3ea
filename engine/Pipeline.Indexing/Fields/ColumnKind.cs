namespace Pipeline.Indexing;

/// <summary>
/// The meaning of the numbers in a column. A field has a column for each kind of value that it has ever had.
/// </summary>
public enum ColumnKind : byte
{
    /// <summary>Whole numbers.</summary>
    Long,

    /// <summary>The unchanged bits of doubles, NaN and −0.0 included.</summary>
    Double,

    /// <summary>Term numbers; the reader gives the terms.</summary>
    Term,

    /// <summary>Points as <see cref="PointCode"/>.</summary>
    Point,

    /// <summary>The number of tokens in a searched text.</summary>
    Length,
}
