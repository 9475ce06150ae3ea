using System.Buffers.Binary;
using System.Text;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Keeps on a node's disk how far it has read the log. Two slots are written in turn, so a torn write leaves the
/// position before it. A position that is too old costs reading; one that is ahead of the store would skip
/// transactions.
/// </summary>
internal sealed class PositionFile : IDisposable
{
    /// <summary>The file's name in the folder of the store.</summary>
    public const string Name = "log.position";

    private const int SlotBytes = 4096,
        Length = 512,
        NameAt = 100,
        Sum = Length - 4;
    private const long Magic = 0x31534F50474F4C50; // "PLOGPOS1" in bytes

    private readonly IStorageFile _file;
    private long _number;

    private PositionFile(IStorageFile file) => _file = file;

    /// <summary>The last position that was kept; the log's start if none was.</summary>
    public LogPosition Position { get; private set; } = LogPosition.Start;

    /// <summary>Opens the file, or creates it.</summary>
    /// <exception cref="DiskFullException">There is no room for it.</exception>
    public static PositionFile Open(IStorageFiles files, string folder)
    {
        var path = Path.Combine(folder, Name);
        var isNew = !files.Exists(path);
        var made = new PositionFile(files.Open(path, create: true));
        try
        {
            // A full disk must not keep a position from being saved.
            made._file.Allocate(2 * SlotBytes);
            if (isNew)
                files.SyncDirectory(folder);
            var bytes = new byte[Length];
            for (var slot = 0; slot < 2; slot++)
            {
                if (made._file.Read(slot * SlotBytes, bytes) == Length)
                    made.Take(bytes);
            }
            return made;
        }
        catch
        {
            made.Dispose();
            throw;
        }
    }

    /// <summary>Keeps a position and syncs it.</summary>
    public void Save(in LogPosition position)
    {
        if (position == Position)
            return;
        var bytes = new byte[SlotBytes];
        Span<byte> span = bytes;
        var state = position.State;
        BinaryPrimitives.WriteInt64LittleEndian(span, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(span[8..], ++_number);
        BinaryPrimitives.WriteInt64LittleEndian(span[16..], position.Place);
        BinaryPrimitives.WriteInt64LittleEndian(span[24..], state.Epoch);
        state.Leader.TryWriteBytes(span[32..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(span[48..], state.Transaction);
        state.Chain.Write(span[56..]);
        BinaryPrimitives.WriteInt32LittleEndian(span[72..], state.Part);
        BinaryPrimitives.WriteInt32LittleEndian(span[76..], (int)state.Phase);
        BinaryPrimitives.WriteInt32LittleEndian(span[80..], state.Format);
        position.LastRead.Write(span[84..]);
        if (position.Leader is { } leader)
            span[NameAt] = (byte)Encoding.UTF8.GetBytes(leader, span.Slice(NameAt + 1, LogRecord.MaxNameBytes));
        BinaryPrimitives.WriteUInt32LittleEndian(span[Sum..], Crc32C.Compute(0, span[..Sum]));
        _file.Write(_number % 2 * SlotBytes, bytes);
        _file.Sync();
        Position = position;
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    private void Take(ReadOnlySpan<byte> bytes)
    {
        var number = BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]);
        if (
            BinaryPrimitives.ReadInt64LittleEndian(bytes) != Magic
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[Sum..]) != Crc32C.Compute(0, bytes[..Sum])
            || number <= _number
        )
        {
            return;
        }
        _number = number;
        Position = new LogPosition(
            BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]),
            new LogState(
                BinaryPrimitives.ReadInt64LittleEndian(bytes[24..]),
                new Guid(bytes.Slice(32, 16), bigEndian: true),
                BinaryPrimitives.ReadInt64LittleEndian(bytes[48..]),
                Chain.Read(bytes[56..]),
                BinaryPrimitives.ReadInt32LittleEndian(bytes[72..]),
                (LogPhase)BinaryPrimitives.ReadInt32LittleEndian(bytes[76..]),
                BinaryPrimitives.ReadInt32LittleEndian(bytes[80..])
            ),
            Chain.Read(bytes[84..]),
            bytes[NameAt] == 0 ? null : Encoding.UTF8.GetString(bytes.Slice(NameAt + 1, bytes[NameAt]))
        );
    }
}
