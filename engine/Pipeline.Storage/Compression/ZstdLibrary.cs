using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// The system's libzstd, looked for once at first use. Only functions of its stable interface are called, all there
/// since version 1.4.
/// </summary>
/// <remarks>
/// The pointers are called with the exact parameters of zstd.h and zdict.h (size_t is nuint); they stay valid, since
/// the library is never unloaded. A library without one of the functions counts as missing.
/// </remarks>
internal static unsafe class ZstdLibrary
{
    public const int CompressionLevel = 100;
    public const int DictionaryIdFlag = 202;
    public const int DestinationTooSmall = 70;
    public const int SessionOnly = 1;
    private const uint OldestVersion = 10_400;

    private static readonly delegate* unmanaged<uint> VersionNumber;

    static ZstdLibrary()
    {
        var name =
            OperatingSystem.IsWindows() ? "libzstd.dll"
            : OperatingSystem.IsMacOS() ? "libzstd.1.dylib"
            : "libzstd.so.1";
        if (
            !TryLoad(name, out var library) && !(OperatingSystem.IsWindows() && TryLoad("zstd.dll", out library)) // That of librdkafka's package.
        )
        {
            Problem = OperatingSystem.IsWindows()
                ? $"neither {name} nor zstd.dll is in the program's folder"
                : $"{name} is not on this system (Debian and Ubuntu: apt install libzstd1)";
            return;
        }
        try
        {
            VersionNumber = (delegate* unmanaged<uint>)Find("ZSTD_versionNumber");
            Version = VersionNumber();
            IsError = (delegate* unmanaged<nuint, uint>)Find("ZSTD_isError");
            ErrorCode = (delegate* unmanaged<nuint, int>)Find("ZSTD_getErrorCode");
            Bound = (delegate* unmanaged<nuint, nuint>)Find("ZSTD_compressBound");
            CreateCompressor = (delegate* unmanaged<nint>)Find("ZSTD_createCCtx");
            FreeCompressor = (delegate* unmanaged<nint, nuint>)Find("ZSTD_freeCCtx");
            SetParameter = (delegate* unmanaged<nint, int, int, nuint>)Find("ZSTD_CCtx_setParameter");
            UseDictionary = (delegate* unmanaged<nint, nint, nuint>)Find("ZSTD_CCtx_refCDict");
            Reset = (delegate* unmanaged<nint, int, nuint>)Find("ZSTD_CCtx_reset");
            Compress = (delegate* unmanaged<nint, byte*, nuint, byte*, nuint, nuint>)Find("ZSTD_compress2");
            CreateDecompressor = (delegate* unmanaged<nint>)Find("ZSTD_createDCtx");
            FreeDecompressor = (delegate* unmanaged<nint, nuint>)Find("ZSTD_freeDCtx");
            Decompress = (delegate* unmanaged<nint, byte*, nuint, byte*, nuint, nint, nuint>)Find(
                "ZSTD_decompress_usingDDict"
            );
            CreateCompressionDictionary = (delegate* unmanaged<byte*, nuint, int, nint>)Find("ZSTD_createCDict");
            FreeCompressionDictionary = (delegate* unmanaged<nint, nuint>)Find("ZSTD_freeCDict");
            CreateDecompressionDictionary = (delegate* unmanaged<byte*, nuint, nint>)Find("ZSTD_createDDict");
            FreeDecompressionDictionary = (delegate* unmanaged<nint, nuint>)Find("ZSTD_freeDDict");
            Train = (delegate* unmanaged<byte*, nuint, byte*, nuint*, uint, nuint>)Find("ZDICT_trainFromBuffer");
            TrainFailed = (delegate* unmanaged<nuint, uint>)Find("ZDICT_isError");
            if (Version < OldestVersion)
                Problem = $"{name} is of version {VersionText}; 1.4 or later is needed";
        }
        catch (EntryPointNotFoundException e)
        {
            Problem = $"{name} cannot be used: {e.Message}";
        }

        static bool TryLoad(string name, out nint library) =>
            NativeLibrary.TryLoad(name, typeof(ZstdLibrary).Assembly, DllImportSearchPath.SafeDirectories, out library);

        nint Find(string function) => NativeLibrary.GetExport(library, function);
    }

    /// <summary>Why it cannot be used, or null.</summary>
    public static string? Problem { get; }

    /// <summary>Its version: major × 10,000 + minor × 100 + release; 0 if there is no library.</summary>
    public static uint Version { get; }

    /// <summary>Its version as text.</summary>
    public static string VersionText => $"{Version / 10_000}.{Version / 100 % 100}.{Version % 100}";

    public static delegate* unmanaged<nuint, uint> IsError { get; }

    public static delegate* unmanaged<nuint, int> ErrorCode { get; }

    public static delegate* unmanaged<nuint, nuint> Bound { get; }

    public static delegate* unmanaged<nint> CreateCompressor { get; }

    public static delegate* unmanaged<nint, nuint> FreeCompressor { get; }

    public static delegate* unmanaged<nint, int, int, nuint> SetParameter { get; }

    public static delegate* unmanaged<nint, nint, nuint> UseDictionary { get; }

    public static delegate* unmanaged<nint, int, nuint> Reset { get; }

    public static delegate* unmanaged<nint, byte*, nuint, byte*, nuint, nuint> Compress { get; }

    public static delegate* unmanaged<nint> CreateDecompressor { get; }

    public static delegate* unmanaged<nint, nuint> FreeDecompressor { get; }

    public static delegate* unmanaged<nint, byte*, nuint, byte*, nuint, nint, nuint> Decompress { get; }

    public static delegate* unmanaged<byte*, nuint, int, nint> CreateCompressionDictionary { get; }

    public static delegate* unmanaged<nint, nuint> FreeCompressionDictionary { get; }

    public static delegate* unmanaged<byte*, nuint, nint> CreateDecompressionDictionary { get; }

    public static delegate* unmanaged<nint, nuint> FreeDecompressionDictionary { get; }

    public static delegate* unmanaged<byte*, nuint, byte*, nuint*, uint, nuint> Train { get; }

    public static delegate* unmanaged<nuint, uint> TrainFailed { get; }
}
