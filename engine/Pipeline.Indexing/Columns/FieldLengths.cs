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
        for (var i = 0; i < entries.Length; )
        {
            // Entries mostly rise, so many neighbours lie in one chunk, and mostly a byte is enough for each.
            var index = entries[i] / ColumnChunk.Capacity;
            var first = index * ColumnChunk.Capacity;
            var chunk = index < _column.ChunkCount ? _column.GetChunk(index) : default;
            if (!chunk.Exists || !chunk.HasNone || chunk.Width != 1)
            {
                lengths[i] = this[entries[i]];
                i++;
                continue;
            }

            var stored = chunk.Stored;
            var less = (int)chunk.Base - 1;
            for (; i < entries.Length && (uint)(entries[i] - first) < (uint)stored.Length; i++)
                lengths[i] = stored[entries[i] - first] is var value and > 0 ? value + less : 0;
            if (i < entries.Length && (uint)(entries[i] - first) < ColumnChunk.Capacity)
                lengths[i++] = 0;
        }
    }

    /// <summary>The number of tokens of an entry; 0 if it has no text.</summary>
    public int this[int entry]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _column.TryGet(entry, out var length) ? (int)length : 0;
    }
}
