using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>
/// A set of entries with a bit for each entry of the index. Its memory is pooled: it must be disposed, once. One thread
/// at a time.
/// </summary>
internal sealed class EntrySet : IDisposable
{
    private readonly QueryMemory _memory;
    private byte[]? _bytes;

    /// <summary>Makes an empty set.</summary>
    /// <param name="entries">Entries 0 to this, exclusive, can be in it.</param>
    /// <param name="memory">What its memory is counted in.</param>
    /// <param name="step">The step that needs it, for the error.</param>
    /// <exception cref="QueryLimitException">The query would hold too much memory.</exception>
    public EntrySet(int entries, QueryMemory memory, string step)
    {
        (_memory, Length) = (memory, (entries + 63) >> 6);
        memory.Reserve(Length * 8L, step);
        _bytes = ArrayPool<byte>.Shared.Rent(Math.Max(Length, 1) * sizeof(ulong));
        Words.Clear();
    }

    /// <summary>The number of words.</summary>
    public int Length { get; }

    /// <summary>The bits: entry e is bit e % 64 of word e / 64.</summary>
    public Span<ulong> Words =>
        _bytes is null
            ? throw new ObjectDisposedException(nameof(EntrySet))
            : MemoryMarshal.CreateSpan(ref First, Length);

    // The runtime comes with the code of a pool of bytes; one of numbers would be compiled in the first query of a
    // process.
    private ref ulong First
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.As<byte, ulong>(ref MemoryMarshal.GetArrayDataReference(_bytes!));
    }

    /// <summary>Whether an entry is in the set.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Contains(int entry) =>
        (uint)(entry >> 6) < (uint)Length && (Unsafe.Add(ref First, entry >> 6) >> entry & 1) != 0;

    /// <summary>Puts an entry into the set.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(int entry) => Words[entry >> 6] |= 1UL << entry;

    /// <summary>Puts entries into the set.</summary>
    public void AddAll(ReadOnlySpan<int> entries)
    {
        var words = Words;
        foreach (var entry in entries)
            words[entry >> 6] |= 1UL << entry;
    }

    /// <summary>Adds the remaining entries of an iterator to the set.</summary>
    public void AddAll(EntryIterator entries)
    {
        Span<int> buffer = stackalloc int[256];
        if (entries.Current < 0)
            entries.Next();
        for (int n; (n = entries.Fill(buffer)) > 0; )
            AddAll(buffer[..n]);
    }

    /// <summary>Keeps the entries that both sets have.</summary>
    public void And(EntrySet other) => And(Words, other.Words);

    /// <summary>Adds the entries of the other set.</summary>
    public void Or(EntrySet other) => Or(Words, other.Words);

    /// <summary>Removes the entries of the other set.</summary>
    public void AndNot(EntrySet other) => AndNot(Words, other.Words);

    /// <summary>
    /// Inverts the set among the first entries: adds those that it lacked and removes those that it had.
    /// </summary>
    /// <param name="entries">How many entries there are.</param>
    public void Invert(int entries)
    {
        var words = Words;
        for (var i = 0; i < words.Length; i++)
            words[i] = ~words[i];
        if ((entries & 63) != 0)
            words[^1] &= (1UL << (entries & 63)) - 1;
    }

    /// <summary>How many entries are in the set.</summary>
    public int Count() => Count(Words);

    /// <summary>Keeps in the first the bits that both have; missing words of the shorter one count as empty.</summary>
    public static void And(Span<ulong> into, ReadOnlySpan<ulong> other)
    {
        var common = Math.Min(into.Length, other.Length);
        ref var a = ref MemoryMarshal.GetReference(into);
        ref var b = ref MemoryMarshal.GetReference(other);
        var i = 0;
        for (; i <= common - Vector<ulong>.Count; i += Vector<ulong>.Count)
            (Vector.LoadUnsafe(ref a, (nuint)i) & Vector.LoadUnsafe(ref b, (nuint)i)).StoreUnsafe(ref a, (nuint)i);
        for (; i < common; i++)
            into[i] &= other[i];
        into[common..].Clear();
    }

    /// <summary>Adds the bits of the second to the first.</summary>
    public static void Or(Span<ulong> into, ReadOnlySpan<ulong> other)
    {
        var common = Math.Min(into.Length, other.Length);
        ref var a = ref MemoryMarshal.GetReference(into);
        ref var b = ref MemoryMarshal.GetReference(other);
        var i = 0;
        for (; i <= common - Vector<ulong>.Count; i += Vector<ulong>.Count)
            (Vector.LoadUnsafe(ref a, (nuint)i) | Vector.LoadUnsafe(ref b, (nuint)i)).StoreUnsafe(ref a, (nuint)i);
        for (; i < common; i++)
            into[i] |= other[i];
    }

    /// <summary>Removes the bits of the second from the first.</summary>
    public static void AndNot(Span<ulong> into, ReadOnlySpan<ulong> other)
    {
        var common = Math.Min(into.Length, other.Length);
        ref var a = ref MemoryMarshal.GetReference(into);
        ref var b = ref MemoryMarshal.GetReference(other);
        var i = 0;
        for (; i <= common - Vector<ulong>.Count; i += Vector<ulong>.Count)
        {
            Vector
                .AndNot(Vector.LoadUnsafe(ref a, (nuint)i), Vector.LoadUnsafe(ref b, (nuint)i))
                .StoreUnsafe(ref a, (nuint)i);
        }

        for (; i < common; i++)
            into[i] &= ~other[i];
    }

    /// <summary>How many bits are set.</summary>
    public static int Count(ReadOnlySpan<ulong> words)
    {
        var count = 0;
        foreach (var word in words)
            count += BitOperations.PopCount(word);
        return count;
    }

    /// <summary>How many bits are set in both.</summary>
    public static int CountAnd(ReadOnlySpan<ulong> left, ReadOnlySpan<ulong> right)
    {
        var count = 0;
        for (var i = 0; i < Math.Min(left.Length, right.Length); i++)
            count += BitOperations.PopCount(left[i] & right[i]);
        return count;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_bytes is not { } bytes)
            return;
        _bytes = null;
        _memory.Release(Length * 8L);
        ArrayPool<byte>.Shared.Return(bytes);
    }
}
