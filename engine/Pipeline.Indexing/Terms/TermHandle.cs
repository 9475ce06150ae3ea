namespace Pipeline.Indexing;

/// <summary>
/// The place of a term's record in the snapshot. It can open the term's list any number of times without another
/// lookup.
/// </summary>
/// <remarks>
/// Safety of the pointer: the record lies in a page of the snapshot, which does not move as long as the reader is open;
/// handles do not outlive their query.
/// </remarks>
internal readonly unsafe struct TermHandle
{
    private readonly byte* _record;
    private readonly int _length;

    public TermHandle(ReadOnlySpan<byte> record, int documentFrequency)
    {
        fixed (byte* at = record)
            _record = at;
        (_length, DocumentFrequency) = (record.Length, documentFrequency);
    }

    /// <summary>The entries of the list; deleted ones count until a purge has met it.</summary>
    public int DocumentFrequency { get; }

    /// <summary>The record.</summary>
    public ReadOnlySpan<byte> Record => new(_record, _length);
}
