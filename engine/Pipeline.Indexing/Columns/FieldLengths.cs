using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>How many tokens a field's texts have, entry by entry; exact.</summary>
public readonly struct FieldLengths
{
    private readonly ColumnReader _column;

    internal FieldLengths(ColumnReader column) => _column = column;

    /// <summary>The tokens of an entry; 0 where it has no text.</summary>
    public int this[int entry]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _column.TryGet(entry, out var length) ? (int)length : 0;
    }
}
