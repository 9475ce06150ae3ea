namespace Pipeline.Storage;

/// <summary>
/// The content of the slots in pages 0 and 1: the last checkpoint. Writes alternate between the two, so that one is
/// always intact.
/// </summary>
internal sealed unsafe record MetaPage
{
    /// <summary>
    /// The newest format that this program reads: encrypted stores have it, plain ones
    /// <see cref="PlainFormatVersion"/>.
    /// </summary>
    public const int FormatVersion = 2;

    /// <summary>The format of plain stores.</summary>
    public const int PlainFormatVersion = 1;

    private const ulong Magic = 0x454E_494C_4550_4950; // "PIPELINE" in bytes

    /// <summary>Counts the writes of meta pages; the higher of two valid ones holds.</summary>
    public required long Sequence { get; init; }

    /// <summary>The store's own random name, which seeds the journal's checksums.</summary>
    public required Guid StoreId { get; init; }

    /// <summary>The state that the data file holds at least.</summary>
    public required StoreState State { get; init; }

    /// <summary>Which life of the store this is.</summary>
    public StoreLife Life { get; init; }

    /// <summary>The store's keys; null if it is not encrypted.</summary>
    public EncryptionState? Encryption { get; init; }

    /// <summary>Writes it as the page of the slot for its sequence number.</summary>
    public void Encode(byte* page, out long pageNumber)
    {
        pageNumber = Sequence & 1;
        new Span<byte>(page, PageLayout.PageSize).Clear();
        PageLayout.Type(page) = PageType.Meta;
        PageLayout.Number(page) = pageNumber;
        PageLayout.Transaction(page) = State.TransactionId;
        *(ulong*)(page + 64) = Magic;
        *(int*)(page + 72) = Encryption is null ? PlainFormatVersion : FormatVersion;
        *(int*)(page + 76) = PageLayout.PageSize;
        StoreId.TryWriteBytes(new Span<byte>(page + 80, 16));
        *(long*)(page + 96) = Sequence;
        *(long*)(page + 104) = State.TransactionId;
        *(long*)(page + 112) = State.PageCount;
        *(long*)(page + 120) = State.FreePages;
        *(long*)(page + 128) = State.CatalogRoot;
        *(long*)(page + 136) = State.Ticks;
        *(long*)(page + 144) = State.Journal.File;
        *(long*)(page + 152) = State.Journal.Offset;
        *(uint*)(page + 160) = State.Journal.Chain;
        Life.Encode(page);
        Encryption?.Encode(page);
        PageLayout.Checksum(page) = PageChecksum.Compute(page, pageNumber, 1);
    }

    /// <summary>Reads a slot; null if it is not valid.</summary>
    /// <exception cref="NewerFormatException">It is of a newer format.</exception>
    public static MetaPage? Decode(string file, byte* page, long pageNumber)
    {
        var magic = *(ulong*)(page + 64) == Magic;
        var valid = PageLayout.Type(page) == PageType.Meta && PageChecksum.Check(page, pageNumber, 1) is null;
        if (!magic || !valid)
            return null;
        var version = *(int*)(page + 72);
        if (version > FormatVersion)
            throw new NewerFormatException(file, version, FormatVersion);
        if (version < 1 || *(int*)(page + 76) != PageLayout.PageSize)
            return null;
        return new MetaPage
        {
            StoreId = new Guid(new ReadOnlySpan<byte>(page + 80, 16)),
            Sequence = *(long*)(page + 96),
            Life = StoreLife.Decode(page),
            Encryption = version == PlainFormatVersion ? null : EncryptionState.Decode(file, page, pageNumber),
            State = new StoreState
            {
                TransactionId = *(long*)(page + 104),
                PageCount = *(long*)(page + 112),
                FreePages = *(long*)(page + 120),
                CatalogRoot = *(long*)(page + 128),
                Ticks = *(long*)(page + 136),
                Journal = new JournalPosition(*(long*)(page + 144), *(long*)(page + 152), *(uint*)(page + 160)),
            },
        };
    }
}
