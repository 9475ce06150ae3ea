using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Paging;

/// <summary>
/// A store reserves little address space, and more when its file outgrows that, under readers that notice nothing.
/// </summary>
public sealed class MappingGrowthTests
{
    private const int Values = 400,
        ValueBytes = 40_000;

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_that_outgrows_its_mapping_is_mapped_anew_and_pages_stay_where_readers_have_them(
        bool frozen
    )
    {
        Skip.If(!OperatingSystem.IsLinux(), "Mappings are counted in /proc.");
        using var folder = new TestFolder();
        var options = new StorageOptions
        {
            Path = folder.Path,
            MappedBytes = 128 << 10,
            InitialDataFileBytes = 64 << 10,
            MaxGrowthBytes = 1 << 20,
            FlushInterval = TimeSpan.FromHours(10),
        };
        using (var environment = StorageEnvironment.Open(options))
        {
            await environment.WriteAsync(t => t.CreateTree("t").Put("held"u8, Content(1)));
            environment.Flush();
            using var early = environment.BeginRead();
            for (var i = 0; i < Values; i++)
            {
                await environment.WriteAsync(t => t.OpenTree("t").Put(BitConverter.GetBytes(i), Content(i)));
                if (frozen && i % 50 == 0)
                {
                    // What is overwritten under the early reader is frozen in the mappings that there are.
                    await environment.WriteAsync(t => t.OpenTree("t").Put("held"u8, Content(i)));
                    environment.Flush();
                }
                if (i % 7 == 0)
                    environment.Flush();
                CheckEarly(early);
            }
            environment.Flush();
            CheckAll(environment);
            CheckEarly(early);
            Assert.InRange(MappingsOf(folder.Path), 2, 6);
            Assert.True(StorageChecker.Check(environment).IsSound);
        }

        Assert.Equal(0, MappingsOf(folder.Path));
        using var again = StorageEnvironment.Open(options);
        Assert.Equal(1, MappingsOf(folder.Path));
        CheckAll(again);

        static void CheckEarly(ReadTransaction early)
        {
            Assert.True(early.OpenTree("t").TryGet("held"u8, out var value));
            Assert.False(value.ContainsAnyExcept((byte)1));
        }
    }

    [Fact]
    public async Task Growth_ends_at_the_largest_file()
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                Path = folder.Path,
                MappedBytes = 128 << 10,
                InitialDataFileBytes = 64 << 10,
                MaxDataFileBytes = 3 << 20,
            }
        );
        await environment.WriteAsync(t => t.CreateTree("t"));
        var e = await Assert.ThrowsAsync<DiskFullException>(async () =>
        {
            for (var i = 0; i < Values; i++)
                await environment.WriteAsync(t => t.OpenTree("t").Put(BitConverter.GetBytes(i), Content(i)));
        });
        Assert.Contains("MaxDataFileBytes = 3,145,728", e.Message, StringComparison.Ordinal);
    }

    private static void CheckAll(StorageEnvironment environment)
    {
        using var read = environment.BeginRead();
        for (var i = 0; i < Values; i++)
        {
            Assert.True(read.OpenTree("t").TryGet(BitConverter.GetBytes(i), out var value));
            Assert.Equal(ValueBytes, value.Length);
            Assert.False(value.ContainsAnyExcept((byte)i));
        }
    }

    private static byte[] Content(int i)
    {
        var bytes = new byte[ValueBytes];
        Array.Fill(bytes, (byte)i);
        return bytes;
    }

    // Frozen pages cut a mapping into pieces: those that begin at the file's beginning are counted.
    private static int MappingsOf(string folder) =>
        File.ReadLines("/proc/self/maps")
            .Count(l =>
                l.Contains(folder, StringComparison.Ordinal)
                && l.Split(' ', StringSplitOptions.RemoveEmptyEntries) is [_, _, "00000000", ..]
            );
}
