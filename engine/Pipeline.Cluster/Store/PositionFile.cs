using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Saves how far a node has read the log. Two slots are written in turn, so a torn write leaves the previous position.
/// A position that is too old only means reading more; one that is ahead of the store would skip transactions.
/// </summary>
internal sealed class PositionFile : IDisposable
{
    /// <summary>The file's name in the folder of the store.</summary>
    public const string Name = ReplicaFolder.PositionName;

    private const int SlotBytes = 4096,
        Length = 512,
        PositionAt = 16,
        Sum = Length - 4;
    private const long Magic = 0x31534F50474F4C50; // "PLOGPOS1" in bytes

    private readonly IStorageFile _file;
    private long _number;

    private PositionFile(IStorageFile file) => _file = file;

    /// <summary>The last saved position; the start of the log if there is none.</summary>
    public ReadPosition Position { get; private set; } = ReadPosition.Start;

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

    /// <summary>Reads the position in a folder's file, without creating a file.</summary>
    /// <returns>The position; null if the folder has no such file.</returns>
    public static ReadPosition? Find(IStorageFiles files, string folder)
    {
        if (!files.Exists(Path.Combine(folder, Name)))
            return null;
        using var file = Open(files, folder);
        return file.Position;
    }

    /// <summary>Saves a position durably.</summary>
    public void Save(in ReadPosition position)
    {
        if (position == Position)
            return;
        var bytes = new byte[SlotBytes];
        Span<byte> span = bytes;
        BinaryPrimitives.WriteInt64LittleEndian(span, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(span[8..], ++_number);
        position.Write(span[PositionAt..]);
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
        Position = ReadPosition.Read(bytes[PositionAt..]);
    }
}
