using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

public readonly partial struct LogRecord
{
    /// <summary>A claim on the epoch after that of the state.</summary>
    /// <param name="state">What the claimer knows of the log.</param>
    /// <param name="start">The claimer's start id.</param>
    /// <param name="node">The claimer's name.</param>
    public static LogRecord Claim(in AutomatonState state, Guid start, string node) =>
        Named(RecordKind.Claim, state with { Epoch = state.Epoch + 1, Leader = start }, node);

    /// <summary>A part of a transaction, or a whole one.</summary>
    /// <param name="state">The state that the record follows.</param>
    /// <param name="payload">The bytes of the part, which are copied.</param>
    /// <param name="isLast">Whether the transaction ends with it.</param>
    public static LogRecord Entry(in AutomatonState state, ReadOnlySpan<byte> payload, bool isLast)
    {
        var bytes = Blank(RecordKind.Entry, state, payload.Length);
        bytes[FlagsAt] = isLast ? LastPart : (byte)0;
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(PartAt), checked((ushort)state.Part));
        payload.CopyTo(bytes.AsSpan(HeaderBytes));
        return Seal(bytes);
    }

    /// <summary>A sign of life.</summary>
    /// <param name="state">What the leader knows of the log.</param>
    /// <param name="number">The number of the beat, counted by the leader.</param>
    /// <param name="address">
    /// The leader's address, at most 255 bytes of UTF-8. A node without a store finds a node to copy by it.
    /// </param>
    public static LogRecord BeatOf(in AutomatonState state, long number, string address = "")
    {
        var length = Encoding.UTF8.GetByteCount(address);
        if (length > MaxNameBytes)
        {
            throw new ArgumentException(
                $"The address '{address}' has more than {MaxNameBytes} bytes.",
                nameof(address)
            );
        }
        var bytes = Blank(RecordKind.Beat, state, BeatBytes + length);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(HeaderBytes), number);
        Encoding.UTF8.GetBytes(address, bytes.AsSpan(HeaderBytes + BeatBytes));
        return Seal(bytes);
    }

    /// <summary>The leader's handover to a successor.</summary>
    /// <param name="state">The state that the record follows.</param>
    /// <param name="successor">The node that should claim next.</param>
    public static LogRecord Handover(in AutomatonState state, string successor) =>
        Named(RecordKind.Handover, state, successor);

    /// <summary>The end of this log.</summary>
    /// <param name="state">The state that the record follows.</param>
    /// <param name="log">The log that continues from that state.</param>
    public static LogRecord NextLog(in AutomatonState state, string log) => Named(RecordKind.NextLog, state, log);

    /// <summary>The first record of a log that begins with a store.</summary>
    /// <param name="state">
    /// The store's next transaction, its epoch and format, and the start id of the process that writes the record. Its
    /// chain is that of the log that ended with this state; zero if none did.
    /// </param>
    /// <param name="node">The name of the node that has the store.</param>
    public static LogRecord Begin(in AutomatonState state, string node)
    {
        var bytes = Blank(RecordKind.Begin, state, FormatBytes + NameLength(node));
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(HeaderBytes), state.Format);
        Encoding.UTF8.GetBytes(node, bytes.AsSpan(HeaderBytes + FormatBytes));
        return Seal(bytes);
    }

    /// <summary>The first use of a format.</summary>
    /// <param name="state">The state that the record follows.</param>
    /// <param name="format">The format, greater than the state's.</param>
    public static LogRecord Feature(in AutomatonState state, int format)
    {
        var bytes = Blank(RecordKind.Feature, state, FormatBytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(HeaderBytes), format);
        return Seal(bytes);
    }

    /// <summary>The split of a shard.</summary>
    /// <param name="state">The state that the record follows. The child begins as a copy of it.</param>
    /// <param name="child">The number of the new shard.</param>
    /// <param name="first">The first bucket that the child takes.</param>
    /// <param name="last">The last bucket that it takes.</param>
    public static LogRecord Fork(in AutomatonState state, int child, int first, int last)
    {
        var bytes = Blank(RecordKind.Fork, state, 12);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(HeaderBytes), child);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(HeaderBytes + 4), first);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(HeaderBytes + 8), last);
        return Seal(bytes);
    }

    private static LogRecord Named(RecordKind kind, in AutomatonState state, string name)
    {
        var bytes = Blank(kind, state, NameLength(name));
        Encoding.UTF8.GetBytes(name, bytes.AsSpan(HeaderBytes));
        return Seal(bytes);
    }

    private static int NameLength(string name)
    {
        var length = Encoding.UTF8.GetByteCount(name);
        return length is > 0 and <= MaxNameBytes
            ? length
            : throw new ArgumentException(
                $"The name '{name}' has {length} bytes; it must have 1 to {MaxNameBytes}.",
                nameof(name)
            );
    }

    private static byte[] Blank(RecordKind kind, in AutomatonState state, int body)
    {
        var bytes = new byte[HeaderBytes + body];
        Magic.CopyTo(bytes);
        bytes[KindAt] = (byte)kind;
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(EpochAt), state.Epoch);
        state.Leader.TryWriteBytes(bytes.AsSpan(StartAt), bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(TransactionAt), state.Transaction);
        state.Chain.Write(bytes.AsSpan(ChainAt));
        return bytes;
    }

    private static LogRecord Seal(byte[] bytes)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(Sum), Crc32C.Compute(0, bytes.AsSpan(KindAt)));
        return new LogRecord(bytes);
    }
}
