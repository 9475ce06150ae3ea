using System.Text;

namespace Pipeline.Storage;

/// <summary>Whose a journal file is.</summary>
internal enum JournalFileOwner
{
    /// <summary>The store's own.</summary>
    Own,

    /// <summary>Nobody's: its creation was cut short before it had a header.</summary>
    Nobody,

    /// <summary>It cannot be told: the header is damaged.</summary>
    Unknown,

    /// <summary>Another store's.</summary>
    Foreign,
}

/// <summary>
/// The first block of a journal file: which store and which number it belongs to. Rewritten when the file is reused.
/// </summary>
internal static unsafe class JournalFileHeader
{
    private const int Used = 64;
    private const int FolderAt = Used + sizeof(uint) + sizeof(ushort);
    private const int MaxFolderBytes = JournalLayout.Block - FolderAt;

    /// <summary>Writes the header of a file that begins its use under the number.</summary>
    /// <param name="file">The file.</param>
    /// <param name="storeId">The store's name.</param>
    /// <param name="number">The file's number.</param>
    /// <param name="folder">The store's folder, for errors that name the owner.</param>
    public static void Write(IStorageFile file, Guid storeId, long number, string folder)
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
            var length = Encoding.UTF8.GetByteCount(folder);
            if (length <= MaxFolderBytes)
            {
                Encoding.UTF8.GetBytes(folder, new Span<byte>(header + FolderAt, length));
                *(ushort*)(header + Used + sizeof(uint)) = (ushort)length;
                *(uint*)(header + Used) = Crc32C.Compute(0, header + Used + sizeof(uint), sizeof(ushort) + length);
            }
        }
        file.Write(0, block);
    }

    /// <summary>The number in the header, or -1 if there is no valid header of this store.</summary>
    /// <exception cref="NewerFormatException">The file is of a newer format.</exception>
    public static long Read(IStorageFile file, Guid storeId) =>
        Read(file, storeId, out _, out _, out var number) == JournalFileOwner.Own ? number : -1;

    /// <summary>Tells whose the file is.</summary>
    /// <param name="file">The file.</param>
    /// <param name="storeId">The store that asks.</param>
    /// <param name="owner">A description of the owner, for a foreign file or one whose owner is unknown.</param>
    /// <param name="folder">The folder of a foreign file's store when the file was last used; empty if unknown.</param>
    /// <param name="number">The number in the header; -1 if the file is not the store's own.</param>
    /// <exception cref="NewerFormatException">The file is of a newer format.</exception>
    public static JournalFileOwner Read(
        IStorageFile file,
        Guid storeId,
        out string owner,
        out string folder,
        out long number
    )
    {
        (owner, folder, number) = ("", "", -1);
        var block = new byte[JournalLayout.Block];
        var read = file.Read(0, block);
        if (!block.AsSpan(0, Math.Min(read, Used)).ContainsAnyExcept((byte)0))
            return JournalFileOwner.Nobody;
        fixed (byte* header = block)
        {
            if (
                read < Used
                || *(uint*)header != JournalLayout.FileMagic
                || *(uint*)(header + 4) != Crc32C.Compute(0, header + 8, Used - 8)
            )
            {
                owner = "a store that cannot be told, since the file's header is damaged";
                return JournalFileOwner.Unknown;
            }
            var name = new Guid(new ReadOnlySpan<byte>(header + 16, 16));
            if (name == storeId)
            {
                if (*(int*)(header + 8) > JournalLayout.FormatVersion)
                    throw new NewerFormatException(file.Path, *(int*)(header + 8), JournalLayout.FormatVersion);
                number = *(long*)(header + 32);
                return JournalFileOwner.Own;
            }
            int length = *(ushort*)(header + Used + sizeof(uint));
            if (
                length is > 0 and <= MaxFolderBytes
                && *(uint*)(header + Used) == Crc32C.Compute(0, header + Used + sizeof(uint), sizeof(ushort) + length)
            )
            {
                folder = Encoding.UTF8.GetString(header + FolderAt, length);
            }

            owner = folder.Length == 0 ? $"another store, {name:n}" : $"the store in {folder} ({name:n})";
            return JournalFileOwner.Foreign;
        }
    }
}
