using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>A record of the log over its bytes, which it does not copy. RECORDS.md describes them.</summary>
public readonly partial struct LogRecord
{
    /// <summary>The bytes before the body of a record.</summary>
    public const int HeaderBytes = 64;

    /// <summary>The longest name of a node or log, in bytes of UTF-8.</summary>
    public const int MaxNameBytes = 255;

    private const int Sum = 8,
        KindAt = 12,
        FlagsAt = 13,
        PartAt = 14,
        EpochAt = 16,
        StartAt = 24,
        TransactionAt = 40,
        ChainAt = 48;
    private const byte LastPart = 1;
    private const int BeatBytes = 8,
        FormatBytes = 4;

    private static ReadOnlySpan<byte> Magic => "PIPELOG1"u8;

    private readonly ReadOnlyMemory<byte> _bytes;

    private LogRecord(ReadOnlyMemory<byte> bytes) => _bytes = bytes;

    /// <summary>The whole record.</summary>
    public ReadOnlyMemory<byte> Bytes => _bytes;

    /// <summary>
    /// The kind of record. A number without a name belongs to a format that this version does not know; such a record
    /// is ignored.
    /// </summary>
    public RecordKind Kind => (RecordKind)_bytes.Span[KindAt];

    /// <summary>The epoch of the leader that wrote it. In a claim, the epoch that it asks for.</summary>
    public long Epoch => BinaryPrimitives.ReadInt64LittleEndian(_bytes.Span[EpochAt..]);

    /// <summary>The start id of the process that wrote it.</summary>
    public Guid Start => new(_bytes.Span.Slice(StartAt, 16), bigEndian: true);

    /// <summary>
    /// The transaction that it holds or that would come next. In a claim or beat, the next transaction that its writer
    /// knew of; not compared.
    /// </summary>
    public long Transaction => BinaryPrimitives.ReadInt64LittleEndian(_bytes.Span[TransactionAt..]);

    /// <summary>
    /// The chain of all records accepted before it. In a claim or beat, the chain that its writer knew of; not
    /// compared. In a beginning, the chain of the log that ended before; zero if none did.
    /// </summary>
    public Chain Chain => Chain.Read(_bytes.Span[ChainAt..]);

    /// <summary>The place of an entry among the parts of its transaction, from 0.</summary>
    public int Part => BinaryPrimitives.ReadUInt16LittleEndian(_bytes.Span[PartAt..]);

    /// <summary>Whether an entry is the last or only part of its transaction.</summary>
    public bool IsLastPart => (_bytes.Span[FlagsAt] & LastPart) != 0;

    /// <summary>What follows the header: the payload of an entry.</summary>
    public ReadOnlyMemory<byte> Body => _bytes[HeaderBytes..];

    /// <summary>The node of a claim or beginning, the successor of a handover, or the name of the next log.</summary>
    public string Name => Encoding.UTF8.GetString(Kind == RecordKind.Begin ? Body.Span[FormatBytes..] : Body.Span);

    /// <summary>The number of a beat, counted by its leader.</summary>
    public long Beat => BinaryPrimitives.ReadInt64LittleEndian(Body.Span);

    /// <summary>The address of the leader that wrote a beat; empty if it gave none.</summary>
    public string Address => Encoding.UTF8.GetString(Body.Span[BeatBytes..]);

    /// <summary>The format that a feature turns on, or that a log begins with.</summary>
    public int Format => BinaryPrimitives.ReadInt32LittleEndian(Body.Span);

    /// <summary>The number of the child shard of a fork.</summary>
    public int Child => BinaryPrimitives.ReadInt32LittleEndian(Body.Span);

    /// <summary>The first bucket that a fork gives to the child, and the last.</summary>
    public (int First, int Last) Buckets =>
        (
            BinaryPrimitives.ReadInt32LittleEndian(Body.Span[4..]),
            BinaryPrimitives.ReadInt32LittleEndian(Body.Span[8..])
        );

    /// <summary>Reads a record and verifies its checksum.</summary>
    /// <param name="bytes">The bytes, which stay in use.</param>
    /// <param name="record">The record, if the result is <see cref="RecordCheck.Sound"/>.</param>
    public static RecordCheck TryRead(ReadOnlyMemory<byte> bytes, out LogRecord record)
    {
        record = default;
        var span = bytes.Span;
        if (span.Length < HeaderBytes)
            return span.StartsWith(Magic) ? RecordCheck.Damaged : RecordCheck.Foreign;
        var named = span.StartsWith(Magic);
        var whole = BinaryPrimitives.ReadUInt32LittleEndian(span[Sum..]) == Crc32C.Compute(0, span[KindAt..]);
        if (!named && !whole)
            return RecordCheck.Foreign;
        // The checksum does not cover the magic. So a single fault, in either of them, never makes a record look
        // foreign.
        if (!named || !whole || !IsBodySound(span))
            return RecordCheck.Damaged;
        record = new LogRecord(bytes);
        return RecordCheck.Sound;
    }

    private static bool IsBodySound(ReadOnlySpan<byte> span)
    {
        var length = span.Length - HeaderBytes;
        return (RecordKind)span[KindAt] switch
        {
            RecordKind.Claim or RecordKind.Handover or RecordKind.NextLog => length is > 0 and <= MaxNameBytes,
            RecordKind.Beat => length is >= BeatBytes and <= BeatBytes + MaxNameBytes,
            RecordKind.Begin => length is > FormatBytes and <= FormatBytes + MaxNameBytes,
            RecordKind.Feature => length == FormatBytes,
            RecordKind.Fork => length == 12,
            _ => true,
        };
    }
}
