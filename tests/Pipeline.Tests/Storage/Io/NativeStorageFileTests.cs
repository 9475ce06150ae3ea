using System.Runtime.InteropServices;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Tests.Storage.Io;

public sealed unsafe class NativeStorageFileTests
{
    [Fact]
    public void Blocks_written_past_the_cache_are_read_back_beside_others()
    {
        using var folder = new TempFolder();
        using var file = NativeStorageFiles.Instance.Open(Path.Combine(folder.Path, "file"), create: true);
        file.Write(0, new byte[16 * 4096]);
        file.Sync();
        var blocks = (byte*)NativeMemory.AlignedAlloc(8192, 4096);
        new Span<byte>(blocks, 8192).Fill(7);
        file.WriteBlocks(3 * 4096, new ReadOnlySpan<byte>(blocks, 8192));
        file.WriteBlocks(16 * 4096, new ReadOnlySpan<byte>(blocks, 4096));
        NativeMemory.AlignedFree(blocks);
        file.Write((5 * 4096) + 10, [9]);
        file.Sync();
        Assert.Equal(17 * 4096, file.Length);
        var read = new byte[18 * 4096];
        Assert.Equal(17 * 4096, file.Read(0, read));
        for (var i = 0; i < 17 * 4096; i++)
            Assert.Equal(i == (5 * 4096) + 10 ? 9 : i / 4096 is 3 or 4 or 16 ? 7 : 0, read[i]);
    }
}
