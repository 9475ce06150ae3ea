using System.Buffers.Binary;
using Pipeline.Backups.Chunks;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>Small chunks that unpack to much more than a chunk holds.</summary>
public sealed class ChunkBombTests
{
    private const int Bomb = 128 << 20;
    private const int Length = 8;

    [Theory]
    [InlineData(ChunkCompression.Zstd, false)]
    [InlineData(ChunkCompression.Zstd, true)]
    [InlineData(ChunkCompression.Gzip, false)]
    [InlineData(ChunkCompression.Gzip, true)]
    public void A_chunk_that_unpacks_to_more_than_a_chunk_holds_is_refused_without_being_unpacked(
        ChunkCompression compression,
        bool isEncrypted
    )
    {
        using var format = new ChunkFormat(compression, isEncrypted ? new byte[32] : [], Guid.Empty);
        var content = new byte[Bomb];
        var room = new byte[ChunkFormat.MaxChunkBytes(Bomb)];
        var id = format.NameOf(content);
        var packed = room[..format.Encode(id, content, room)];
        Assert.True(packed.Length < 1 << 20, "the chunk is small");
        var target = new byte[ChunkFormat.MaxContentBytes];

        // The chunk that says its length, and the one that says a length which fits.
        foreach (var length in (int[])[Bomb, ChunkFormat.MaxContentBytes, 1, 0])
        {
            var chunk = (byte[])packed.Clone();
            BinaryPrimitives.WriteInt32LittleEndian(chunk.AsSpan(Length), length);
            var before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Throws<ChunkDamagedException>(() => format.Decode("bomb", id, chunk, target));
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4 << 20);
        }
    }
}
