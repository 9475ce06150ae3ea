using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>How many tokens a field's texts have, entry by entry; exact.</summary>
public readonly struct FieldLengths
{
    private readonly ColumnReader _column;

    internal FieldLengths(ColumnReader column) => _column = column;

    /// <summary>The tokens of many entries.</summary>
    /// <param name="entries">The entries.</param>
    /// <param name="lengths">Takes as many numbers.</param>
    public void CopyTo(ReadOnlySpan<int> entries, Span<int> lengths)
    {
        for (var i = 0; i < entries.Length; i++)
            lengths[i] = this[entries[i]];
    }

    /// <summary>The tokens of an entry; 0 where it has no text.</summary>
    public int this[int entry]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _column.TryGet(entry, out var length) ? (int)length : 0;
    }
}
