using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// The deleted entries that posting lists may still contain. Results found through posting lists must leave them out.
/// </summary>
/// <remarks>
/// Belongs to its reader; not thread-safe. Columns keep values of deleted entries too; the numeric index does not.
/// </remarks>
public sealed class DeletedEntries
{
    private readonly EntryBitmap _bitmap;

    internal DeletedEntries(EntryBitmap bitmap, int count)
    {
        _bitmap = bitmap;
        Count = count;
    }

    /// <summary>How many there are.</summary>
    public int Count { get; }

    /// <summary>Whether the entry is deleted.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Contains(int entry) => _bitmap.Contains(entry);

    /// <summary>
    /// The bits of 64 entries, from <paramref name="index"/> × 64 on, the first the lowest; 1 is deleted.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Word(int index) => _bitmap.Word(index);

    internal void Close() => _bitmap.Close();
}
