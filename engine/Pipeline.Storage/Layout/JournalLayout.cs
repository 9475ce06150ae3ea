namespace Pipeline.Storage;

/// <summary>Sizes and offsets of the journal's files and entries, as engine/FORMAT.md gives them.</summary>
internal static class JournalLayout
{
    /// <summary>
    /// Files and entries begin at multiples of this, so that writing an entry never touches a block of the one before.
    /// </summary>
    public const int Block = 4096;

    /// <summary>Bytes of an entry's header.</summary>
    public const int EntryHeader = 128;

    /// <summary>Offset, in an encrypted entry's header, of the nonce (12 bytes).</summary>
    public const int NonceOffset = 84;

    /// <summary>Offset of the authentication tag (16 bytes).</summary>
    public const int TagOffset = 96;

    /// <summary>Offset of the generation of the key (4 bytes).</summary>
    public const int KeyOffset = 112;

    /// <summary>Offset of the mark (8 bytes), where the entry has one.</summary>
    public const int MarkOffset = 116;

    /// <summary>
    /// Offset of the number of transactions right before the entry whose entries may not have been durable when it was
    /// made (4 bytes).
    /// </summary>
    public const int UnsyncedOffset = 124;

    /// <summary>The flag of an entry that has a mark.</summary>
    public const uint MarkedFlag = 4;

    /// <summary>The flag of an entry whose records are compressed.</summary>
    public const uint CompressedFlag = 1;

    /// <summary>The flag of an encrypted entry.</summary>
    public const uint EncryptedFlag = 2;

    /// <summary>"PJF1": the start of a file.</summary>
    public const uint FileMagic = 0x31464A50;

    /// <summary>"PJE1": the start of an entry.</summary>
    public const uint EntryMagic = 0x31454A50;

    /// <summary>The journal format this program writes, and the newest it reads.</summary>
    public const int FormatVersion = 1;

    /// <summary>The end of the names of journal files.</summary>
    public const string Suffix = ".journal";

    /// <summary>The path of the file with this number.</summary>
    public static string PathOf(string directory, long number) =>
        System.IO.Path.Combine(
            directory,
            number.ToString("x16", System.Globalization.CultureInfo.InvariantCulture) + Suffix
        );

    /// <summary>The number that a file's name gives, or -1.</summary>
    public static long NumberOf(string path)
    {
        var name = System.IO.Path.GetFileName(path);
        return
            name.Length == 16 + Suffix.Length
            && long.TryParse(
                name.AsSpan(0, 16),
                System.Globalization.NumberStyles.AllowHexSpecifier,
                System.Globalization.CultureInfo.InvariantCulture,
                out var number
            )
            ? number
            : -1;
    }

    /// <summary>The bytes an entry takes in the file.</summary>
    public static long Align(long bytes) => (bytes + Block - 1) & -Block;

    /// <summary>
    /// The seed of the checksums of a file's entries. It comes from the store and the file, so an entry of another
    /// store, or of an earlier use of the file, is rejected.
    /// </summary>
    public static uint Seed(Guid storeId, long file)
    {
        Span<byte> bytes = stackalloc byte[16];
        storeId.TryWriteBytes(bytes);
        return Crc32C.Compute(Crc32C.OfNumber(file), bytes);
    }
}
