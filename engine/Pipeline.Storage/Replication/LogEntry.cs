namespace Pipeline.Storage;

/// <summary>
/// One transaction's entry in a shared log: a header and the records of its page changes, as engine/FORMAT.md tells. It
/// is the same for all nodes: no node's key, nonce, store name or place in a local journal is in it.
/// </summary>
public static unsafe class LogEntry
{
    /// <summary>Bytes before the records.</summary>
    public const int HeaderBytes = 64;

    private const uint Magic = 0x31454C50; // "PLE1" in bytes

    /// <summary>The transaction of an entry, whose checksum is verified.</summary>
    /// <exception cref="CorruptEntryException">It is not an entry, or is damaged.</exception>
    public static long TransactionOf(ReadOnlySpan<byte> entry)
    {
        fixed (byte* start = entry)
            return Read(start, entry.Length, out _).TransactionId;
    }

    /// <summary>Fills the header of an entry whose records are in place.</summary>
    internal static void Finish(byte* entry, long length, StoreState state, int records)
    {
        *(uint*)entry = Magic;
        *(long*)(entry + 8) = state.TransactionId;
        *(long*)(entry + 16) = state.PageCount;
        *(long*)(entry + 24) = state.FreePages;
        *(long*)(entry + 32) = state.CatalogRoot;
        *(long*)(entry + 40) = state.Ticks;
        *(long*)(entry + 48) = state.Mark;
        *(int*)(entry + 56) = records;
        *(int*)(entry + 60) = 0;
        *(uint*)(entry + 4) = Crc32C.Compute(0, entry + 8, length - 8);
    }

    /// <summary>
    /// The state that an entry leads to, without a place in a journal, and the number of its records.
    /// </summary>
    internal static StoreState Read(byte* entry, long length, out int records)
    {
        if (length < HeaderBytes || *(uint*)entry != Magic)
            throw new CorruptEntryException("it does not begin as one");
        if (*(uint*)(entry + 4) != Crc32C.Compute(0, entry + 8, length - 8))
            throw new CorruptEntryException("its checksum does not match");
        records = *(int*)(entry + 56);
        return new StoreState
        {
            TransactionId = *(long*)(entry + 8),
            PageCount = *(long*)(entry + 16),
            FreePages = *(long*)(entry + 24),
            CatalogRoot = *(long*)(entry + 32),
            Ticks = *(long*)(entry + 40),
            Mark = *(long*)(entry + 48),
            Journal = default,
        };
    }
}
