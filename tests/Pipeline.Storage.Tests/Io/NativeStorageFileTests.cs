using System.Runtime.InteropServices;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Io;

public sealed unsafe class NativeStorageFileTests
{
    /// <summary>
    /// Regression: a volume of Windows that takes no hole, and does not say which ranges have space, had the whole range
    /// overwritten with zeros.
    /// </summary>
    [Fact]
    public void A_reservation_after_a_hole_or_a_refused_one_changes_no_bytes()
    {
        using var folder = new TestFolder();
        using var file = NativeStorageFiles.Instance.Open(Path.Combine(folder.Path, "file"), create: true);
        var bytes = new byte[1 << 20];
        bytes.AsSpan().Fill(1);
        file.Write(0, bytes);
        file.PunchHole(512 << 10, 64 << 10);
        file.Reserve(0, 1 << 20);
        Assert.Equal(1 << 20, file.Read(0, bytes));
        Assert.False(bytes.AsSpan(0, 512 << 10).ContainsAnyExcept((byte)1));
        Assert.False(bytes.AsSpan(576 << 10).ContainsAnyExcept((byte)1));
    }

    [SkippableFact]
    public void A_hole_reads_as_zeros_takes_no_space_and_can_be_reserved_again()
    {
        using var folder = new TestFolder();
        using var file = NativeStorageFiles.Instance.Open(Path.Combine(folder.Path, "file"), create: true);
        var bytes = new byte[1 << 20];
        bytes.AsSpan().Fill(1);
        file.Write(0, bytes);
        file.Sync();
        var full = file.AllocatedBytes;
        Assert.InRange(full, 1 << 20, 2 << 20);
        Skip.IfNot(
            file.PunchHole(4096, 512 << 10),
            $"the file system of {folder.Path} does not take space back from within files"
        );
        Assert.Equal(1 << 20, file.Length);
        Assert.Equal(full - (512 << 10), file.AllocatedBytes);
        Assert.Equal(1 << 20, file.Read(0, bytes));
        Assert.Equal(4096, bytes.AsSpan().IndexOf((byte)0));
        Assert.Equal(4096 + (512 << 10) - 1, bytes.AsSpan().LastIndexOf((byte)0));
        file.Reserve(0, 1 << 20);
        Assert.Equal(full, file.AllocatedBytes);
        Assert.Equal(1 << 20, file.Length);
        Assert.Equal(1, bytes[4095]);
    }

    [Fact]
    public void Blocks_written_past_the_cache_are_read_back_beside_others()
    {
        using var folder = new TestFolder();
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
        {
            Assert.Equal(
                i == (5 * 4096) + 10 ? 9
                    : i / 4096 is 3 or 4 or 16 ? 7
                    : 0,
                read[i]
            );
        }
    }

    [SkippableFact]
    public void Where_the_file_system_refuses_to_open_past_the_cache_blocks_go_through_it()
    {
        Skip.If(OperatingSystem.IsWindows(), "It is of the C library's files.");
        using var folder = new TestFolder();
        // Opened as a folder, which a file is not: an error of the system as that of a file system without O_DIRECT.
        const int asFolder = 0x10000;
        const int asFolderOnArm = 0x4000;
        using var file = new NativeStorageFile(
            Path.Combine(folder.Path, "file"),
            create: true,
            RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? asFolderOnArm : asFolder
        );
        WriteAndReadBack(file, shift: 0);
        Assert.False(file.IsDirect);
    }

    [SkippableTheory]
    [InlineData(0)]
    [InlineData(8)]
    public void Where_a_write_past_the_cache_is_refused_that_and_later_blocks_go_through_it(int shift)
    {
        Skip.If(OperatingSystem.IsWindows(), "It is of the C library's files.");
        using var folder = new TestFolder();
        using var file = new NativeStorageFile(
            Path.Combine(folder.Path, "file"),
            create: true,
            NativeMethods.OpenDirect
        );
        // Memory that is not aligned is refused as blocks are that are smaller than the device's.
        WriteAndReadBack(file, shift);
        Skip.If(shift == 0 && !file.IsDirect, $"the file system of {folder.Path} has no way past the cache");
        Skip.If(shift > 0 && file.IsDirect, $"the file system of {folder.Path} takes any memory");
        Assert.Equal(shift == 0, file.IsDirect);
    }

    [Fact]
    public void A_mapping_shows_what_an_empty_file_grew_by_and_no_cut_below_it_comes_back()
    {
        using var folder = new TestFolder();
        var path = Path.Combine(folder.Path, "file");
        using (var file = NativeStorageFiles.Instance.Open(path, create: true))
        {
            var first = (byte*)file.Map(64 << 20);
            var newest = first;
            for (var round = 1; round <= 8; round++)
            {
                file.Allocate(round * (256 << 10));
                file.Write((round * (256 << 10)) - 1, [(byte)round]);
                if (!file.TryShowGrowth())
                    newest = (byte*)file.MapMore(64 << 20, []);
                for (var earlier = 1; earlier <= round; earlier++)
                    Assert.Equal(earlier, newest[(earlier * (256 << 10)) - 1]);
            }
            file.Truncate(512 << 10);
            Assert.Equal(512 << 10, file.Length);
            file.Allocate(1 << 20);
            var cut = new byte[512 << 10];
            Assert.Equal(cut.Length, file.Read(512 << 10, cut));
            Assert.Equal(-1, cut.AsSpan().IndexOfAnyExcept((byte)0));
            file.Truncate(512 << 10);
        }
        Assert.Equal(512 << 10, new FileInfo(path).Length);
    }

    private static void WriteAndReadBack(NativeStorageFile file, int shift)
    {
        file.Write(0, new byte[4 * 4096]);
        var memory = (byte*)NativeMemory.AlignedAlloc(3 * 4096, 4096);
        for (byte value = 1; value < 3; value++)
        {
            new Span<byte>(memory, 3 * 4096).Fill(value);
            file.WriteBlocks(value * 4096, new ReadOnlySpan<byte>(memory + shift, 4096));
        }
        NativeMemory.AlignedFree(memory);
        file.Sync();
        var read = new byte[4 * 4096];
        Assert.Equal(read.Length, file.Read(0, read));
        for (var i = 0; i < read.Length; i++)
            Assert.Equal(i / 4096 is 1 or 2 ? i / 4096 : 0, read[i]);
    }
}
