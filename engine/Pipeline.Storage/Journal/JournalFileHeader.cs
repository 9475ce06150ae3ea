namespace Pipeline.Storage;

/// <summary>The first block of a journal file: which store and which number it belongs to. Written anew when the file is used again.</summary>
internal static unsafe class JournalFileHeader
{
    private const int Used = 64;

    /// <summary>Writes the header of a file that begins its use under the number.</summary>
    public static void Write(IStorageFile file, Guid storeId, long number)
    {
        var block = new byte[JournalLayout.Block];
        fixed (byte* header = block)
        {
            *(uint*)header = JournalLayout.FileMagic;
            *(int*)(header + 8) = JournalLayout.FormatVersion;
            *(int*)(header + 12) = JournalLayout.Block;
            storeId.TryWriteBytes(new Span<byte>(header + 16, 16));
            *(long*)(header + 32) = number;
            *(uint*)(header + 4) = Crc32C.Compute(0, header + 8, Used - 8);
        }
        file.Write(0, block);
    }

    /// <summary>The number in the header, or -1 where there is no valid header of this store.</summary>
    /// <exception cref="NewerFormatException">The file is of a newer format.</exception>
    public static long Read(IStorageFile file, Guid storeId)
    {
        var header = stackalloc byte[Used];
        if (file.Read(0, new Span<byte>(header, Used)) < Used || *(uint*)header != JournalLayout.FileMagic
            || *(uint*)(header + 4) != Crc32C.Compute(0, header + 8, Used - 8)
            || new Guid(new ReadOnlySpan<byte>(header + 16, 16)) != storeId)
            return -1;
        if (*(int*)(header + 8) > JournalLayout.FormatVersion)
            throw new NewerFormatException(file.Path, *(int*)(header + 8), JournalLayout.FormatVersion);
        return *(long*)(header + 32);
    }
}
