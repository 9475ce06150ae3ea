namespace Pipeline.Storage;

/// <summary>The state of a store as of one transaction, except for its pages.</summary>
/// <param name="Transaction">The transaction.</param>
/// <param name="Chain">The checksum of its journal entry.</param>
/// <param name="PageCount">Pages ever used.</param>
/// <param name="FreePages">Free ones among them.</param>
/// <param name="CatalogRoot">The root page of the catalog of trees; 0 if there are none.</param>
/// <param name="Ticks">When it was committed, in UTC ticks.</param>
/// <param name="Mark">The <see cref="WriteTransaction.Mark"/> as of the transaction; 0 if unknown.</param>
public readonly record struct LogState(
    long Transaction,
    uint Chain,
    long PageCount,
    long FreePages,
    long CatalogRoot,
    long Ticks,
    long Mark
)
{
    /// <summary>The bytes of <see cref="Write"/>.</summary>
    public const int Bytes = 52;

    /// <summary>Writes it, little-endian.</summary>
    public void Write(Span<byte> target)
    {
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target, Transaction);
        System.Buffers.Binary.BinaryPrimitives.WriteUInt32LittleEndian(target[8..], Chain);
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target[12..], PageCount);
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target[20..], FreePages);
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target[28..], CatalogRoot);
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target[36..], Ticks);
        System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(target[44..], Mark);
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    public static LogState Read(ReadOnlySpan<byte> source) =>
        new(
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source),
            System.Buffers.Binary.BinaryPrimitives.ReadUInt32LittleEndian(source[8..]),
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source[12..]),
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source[20..]),
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source[28..]),
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source[36..]),
            System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(source[44..])
        );

    internal static LogState Of(StoreState state) =>
        new(
            state.TransactionId,
            state.Journal.Chain,
            state.PageCount,
            state.FreePages,
            state.CatalogRoot,
            state.Ticks,
            state.Mark
        );
}

/// <summary>A place in a store's journal: behind the entry of one transaction.</summary>
/// <param name="Transaction">The transaction; what follows it is read from here.</param>
/// <param name="File">The number of the journal file.</param>
/// <param name="Offset">The offset there, behind the transaction's entry.</param>
/// <param name="Chain">
/// The checksum of that entry. Two stores that agree in transaction and checksum have the same past.
/// </param>
public readonly record struct LogPosition(long Transaction, long File, long Offset, uint Chain)
{
    internal static LogPosition Of(StoreState state) =>
        new(state.TransactionId, state.Journal.File, state.Journal.Offset, state.Journal.Chain);
}
