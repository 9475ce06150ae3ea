using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// A cursor's buffers: room for a key and the path to its leaf. Each thread reuses the last one returned.
/// </summary>
internal sealed unsafe class CursorBuffers
{
    [ThreadStatic]
    private static CursorBuffers? _spare;

    private readonly byte[] _keyBuffer = GC.AllocateUninitializedArray<byte>(TreePage.KeyBufferSize, pinned: true);

    private CursorBuffers() => Key = (byte*)Unsafe.AsPointer(ref _keyBuffer[0]);

    /// <summary>A pinned buffer of <see cref="TreePage.KeyBufferSize"/> bytes.</summary>
    public byte* Key { get; }

    /// <summary>The branches on the way to the leaf.</summary>
    public Step[] Path { get; } = new Step[Tree.MaxDepth];

    public static CursorBuffers Rent()
    {
        var buffers = _spare ?? new CursorBuffers();
        _spare = null;
        return buffers;
    }

    public static void Return(CursorBuffers buffers) => _spare = buffers;

    /// <summary>A branch page and which of its children the path goes through.</summary>
    internal struct Step
    {
        public byte* Page;
        public int Index;
    }
}
