using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>
/// A list of unmanaged values outside the heap of the collector, whose memory is measured. Its values move when it
/// grows.
/// </summary>
/// <remarks>Not thread-safe. The finalizer frees the memory of a forgotten list.</remarks>
internal sealed unsafe class NativeList<T> : IDisposable
    where T : unmanaged
{
    private T* _items;
    private int _capacity;

    ~NativeList() => Free();

    public int Count { get; private set; }

    /// <summary>All bytes taken from the system.</summary>
    public long Bytes => (long)_capacity * sizeof(T);

    /// <summary>
    /// The bytes of the next growth, while both copies exist, if the last eighth of the room is in use; else 0.
    /// </summary>
    public long Growth => Count < _capacity - (_capacity / 8) ? 0 : (long)NextCapacity * sizeof(T);

    private int NextCapacity => checked(Math.Max(16, _capacity * 2));

    public ReadOnlySpan<T> Span => new(_items, Count);

    /// <summary>The value at an index below <see cref="Count"/>; valid until the list grows.</summary>
    public ref T this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count);
            return ref _items[index];
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(in T value)
    {
        if (Count == _capacity)
            Grow();
        _items[Count++] = value;
    }

    public void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow()
    {
        var capacity = NextCapacity;
        _items = (T*)NativeMemory.Realloc(_items, checked((nuint)capacity * (nuint)sizeof(T)));
        _capacity = capacity;
    }

    private void Free()
    {
        NativeMemory.Free(_items);
        _items = null;
        (_capacity, Count) = (0, 0);
    }
}
