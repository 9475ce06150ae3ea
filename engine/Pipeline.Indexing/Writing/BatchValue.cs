namespace Pipeline.Indexing;

/// <summary>A number or point of an entry of a batch.</summary>
internal readonly record struct BatchValue(long Bits, int Entry, ColumnKind Kind);
