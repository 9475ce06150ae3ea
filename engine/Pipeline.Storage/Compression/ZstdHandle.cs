using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>The kinds of libzstd objects that a <see cref="ZstdHandle"/> can hold.</summary>
internal enum ZstdHandleKind
{
    Compressor,
    Decompressor,
    CompressionDictionary,
    DecompressionDictionary,
}

/// <summary>An object of libzstd's, freed when it is disposed or collected.</summary>
internal sealed unsafe class ZstdHandle : SafeHandle
{
    private readonly ZstdHandleKind _kind;

    public ZstdHandle(nint pointer, ZstdHandleKind kind)
        : base(0, ownsHandle: true)
    {
        _kind = kind;
        SetHandle(pointer);
    }

    public override bool IsInvalid => handle == 0;

    protected override bool ReleaseHandle()
    {
        _ = _kind switch
        {
            ZstdHandleKind.Compressor => ZstdLibrary.FreeCompressor(handle),
            ZstdHandleKind.Decompressor => ZstdLibrary.FreeDecompressor(handle),
            ZstdHandleKind.CompressionDictionary => ZstdLibrary.FreeCompressionDictionary(handle),
            _ => ZstdLibrary.FreeDecompressionDictionary(handle),
        };
        return true;
    }
}
