using System.Buffers.Binary;

namespace Pipeline.Backups.Chunks;

/// <summary>A chunk in a backup's list.</summary>
/// <param name="Number">For pages the part of the data file; for the journal the position in order.</param>
/// <param name="Id">The chunk.</param>
/// <param name="Length">Bytes of its content.</param>
/// <param name="Stored">Bytes of the stored chunk.</param>
public readonly record struct ChunkEntry(long Number, ChunkId Id, int Length, int Stored)
{
    /// <summary>Bytes of an entry in a list.</summary>
    public const int Bytes = 48;

    /// <summary>Serializes a list.</summary>
    public static byte[] Write(IReadOnlyList<ChunkEntry> entries)
    {
        ArgumentNullException.ThrowIfNull(entries);
        var bytes = new byte[entries.Count * Bytes];
        for (var i = 0; i < entries.Count; i++)
        {
            var at = bytes.AsSpan(i * Bytes);
            BinaryPrimitives.WriteInt64LittleEndian(at, entries[i].Number);
            entries[i].Id.Write(at[8..]);
            BinaryPrimitives.WriteInt32LittleEndian(at[40..], entries[i].Length);
            BinaryPrimitives.WriteInt32LittleEndian(at[44..], entries[i].Stored);
        }
        return bytes;
    }

    /// <summary>Parses the output of <see cref="Write"/>.</summary>
    public static IEnumerable<ChunkEntry> Read(byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        for (var at = 0; at + Bytes <= bytes.Length; at += Bytes)
        {
            var entry = bytes.AsSpan(at, Bytes);
            yield return new ChunkEntry(
                BinaryPrimitives.ReadInt64LittleEndian(entry),
                new ChunkId(entry.Slice(8, ChunkId.Length)),
                BinaryPrimitives.ReadInt32LittleEndian(entry[40..]),
                BinaryPrimitives.ReadInt32LittleEndian(entry[44..])
            );
        }
    }
}
