using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Cluster;

/// <summary>
/// How far a node has read the log. A store saves it with the transaction that it belongs to, or saves an older one;
/// transactions that the store already has are then skipped.
/// </summary>
/// <param name="Place">The next place to read.</param>
/// <param name="State">The state before that place.</param>
/// <param name="LastRead">A hash of the record before that place, to check that the log still has it.</param>
/// <param name="Leader">
/// The name of the node that leads, or of the successor after a handover; null before the first claim.
/// </param>
internal readonly record struct ReadPosition(long Place, AutomatonState State, Chain LastRead, string? Leader = null)
{
    /// <summary>The number of bytes that <see cref="Write"/> writes.</summary>
    public const int Bytes = OriginAt + Chain.Length;

    /// <summary>The number of bytes without an origin, as earlier versions wrote them.</summary>
    public const int BytesWithoutOrigin = NameAt + 1 + LogRecord.MaxNameBytes;

    private const int NameAt = 84,
        OriginAt = BytesWithoutOrigin;

    public static ReadPosition Start => new(0, AutomatonState.Start, default);

    /// <summary>Writes it, little-endian.</summary>
    public void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, Place);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], State.Epoch);
        State.Leader.TryWriteBytes(target[16..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(target[32..], State.Transaction);
        State.Chain.Write(target[40..]);
        BinaryPrimitives.WriteInt32LittleEndian(target[56..], State.Part);
        BinaryPrimitives.WriteInt32LittleEndian(target[60..], (int)State.Phase);
        BinaryPrimitives.WriteInt32LittleEndian(target[64..], State.Format);
        LastRead.Write(target[68..]);
        target[NameAt] = Leader is null
            ? (byte)0
            : (byte)Encoding.UTF8.GetBytes(Leader, target.Slice(NameAt + 1, LogRecord.MaxNameBytes));
        State.Origin.Write(target[OriginAt..]);
    }

    /// <summary>Reads what <see cref="Write"/> wrote, or an earlier version of it.</summary>
    public static ReadPosition Read(ReadOnlySpan<byte> source) =>
        new(
            BinaryPrimitives.ReadInt64LittleEndian(source),
            new AutomatonState(
                BinaryPrimitives.ReadInt64LittleEndian(source[8..]),
                new Guid(source.Slice(16, 16), bigEndian: true),
                BinaryPrimitives.ReadInt64LittleEndian(source[32..]),
                Chain.Read(source[40..]),
                BinaryPrimitives.ReadInt32LittleEndian(source[56..]),
                (LogPhase)BinaryPrimitives.ReadInt32LittleEndian(source[60..]),
                BinaryPrimitives.ReadInt32LittleEndian(source[64..])
            )
            {
                Origin = source.Length < Bytes ? default : Chain.Read(source[OriginAt..]),
            },
            Chain.Read(source[68..]),
            source[NameAt] == 0 ? null : Encoding.UTF8.GetString(source.Slice(NameAt + 1, source[NameAt]))
        );
}
