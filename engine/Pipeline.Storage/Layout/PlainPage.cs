using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// A decrypted page or run of the data file: 64 bytes in native memory with the page right behind them. Wiped when it
/// is freed.
/// </summary>
[StructLayout(LayoutKind.Sequential, Size = HeaderBytes)]
internal unsafe struct PlainPage
{
    /// <summary>Bytes before the page.</summary>
    public const int HeaderBytes = 64;

    /// <summary>The page's number.</summary>
    public long PageNumber;

    /// <summary>Pages in the run.</summary>
    public int PageCount;

    /// <summary>Where the cache's ring has it.</summary>
    public int Index;

    /// <summary>Whether it was read since the ring's hand passed it.</summary>
    public int Used;

    /// <summary>The page's bytes.</summary>
    public static byte* Page(PlainPage* plain) => (byte*)plain + HeaderBytes;

    /// <summary>Bytes that one takes.</summary>
    public static long SizeOf(int pageCount) => HeaderBytes + ((long)pageCount << PageLayout.PageShift);

    /// <summary>Memory for one, its page not initialised.</summary>
    public static PlainPage* Allocate(long number, int pageCount)
    {
        var plain = (PlainPage*)NativeMemory.AlignedAlloc((nuint)SizeOf(pageCount), 64);
        *plain = new PlainPage { PageNumber = number, PageCount = pageCount };
        return plain;
    }

    /// <summary>Wipes it and gives its memory back.</summary>
    public static void Free(PlainPage* plain)
    {
        Wipe(plain, SizeOf(plain->PageCount));
        NativeMemory.AlignedFree(plain);
    }

    /// <summary>Overwrites memory with zeros, which no optimisation leaves out.</summary>
    public static void Wipe(void* memory, long bytes)
    {
        const int most = 1 << 30;
        for (var done = 0L; done < bytes; done += most)
            CryptographicOperations.ZeroMemory(new Span<byte>((byte*)memory + done, (int)Math.Min(most, bytes - done)));
    }
}
