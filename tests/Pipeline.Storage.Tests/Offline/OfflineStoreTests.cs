using System.Text;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Offline;

public sealed class OfflineStoreTests
{
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public async Task A_sound_store_is_found_sound_and_nothing_is_changed(bool closed, bool encrypted)
    {
        var store = await DamagedStore.MakeAsync(1, closed, encrypted);
        var before = store.Disk.Paths.ToDictionary(p => p, store.Disk.Get);
        using (var offline = OfflineStore.Open(DamagedStore.Options(store.Disk, encrypted)))
        {
            Assert.Empty(offline.Problems);
            Assert.Equal(!closed, offline.JournalBytes > 0);
            var report = offline.Check();
            Assert.True(report.IsSound, string.Join("; ", report.Problems));
            foreach (var (name, tree) in store.Model)
            {
                var found = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
                offline.Scan(
                    name,
                    (k, v) => found.Add(Encoding.UTF8.GetString(k), v.ToArray()),
                    lost => Assert.Fail(lost.ToString())
                );
                Assert.Equal(tree, found);
            }
            Assert.Throws<StoreInUseException>(() =>
                StorageEnvironment.Open(DamagedStore.Options(store.Disk, encrypted))
            );
        }
        Assert.Equal(before, store.Disk.Paths.ToDictionary(p => p, store.Disk.Get));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_spoiled_page_that_is_in_use_is_named(bool encrypted)
    {
        const int seed = 3;
        var store = await DamagedStore.MakeAsync(seed, closed: true, encrypted);
        var random = new Random(seed);
        StorageReport sound;
        using (var offline = OfflineStore.Open(DamagedStore.Options(store.Disk, encrypted)))
            sound = offline.Check();
        var (found, unused) = (0, 0);
        for (var page = 2L; page < sound.PageCount; page++)
        {
            var disk = store.Copy();
            DamagedStore.SpoilPage(disk, page, random);
            using var offline = OfflineStore.Open(DamagedStore.Options(disk, encrypted));
            var report = offline.Check();
            if (report.IsSound)
            {
                unused++;
                continue;
            }
            found++;
            var named = report
                .Problems.Where(p =>
                    p.Reason.Contains("checksum", StringComparison.Ordinal)
                    || p.Reason.Contains("goes beyond", StringComparison.Ordinal)
                )
                .ToList();
            Assert.True(
                named.Exists(p => p.Page <= page && page < p.Page + 4),
                $"page {page}: {string.Join("; ", report.Problems)}"
            );
            Assert.All(
                named.Where(p => p.Tree.StartsWith("tree", StringComparison.Ordinal)),
                p => Assert.NotNull(p.Affected)
            );
        }
        Assert.True(found > 50, $"{found} found");
        Assert.Equal(sound.FreePages, unused);
    }

    [Fact]
    public async Task Both_meta_pages_lost_is_told_and_the_journal_still_gives_the_state()
    {
        var store = await DamagedStore.MakeAsync(4, closed: false);
        var random = new Random(4);
        DamagedStore.SpoilPage(store.Disk, 0, random);
        var bytes = store.Disk.Get(DamagedStore.Folder + "/pipeline.data");
        bytes.AsSpan(0, 2 * PageLayout.PageSize).Clear();
        store.Disk.Put(DamagedStore.Folder + "/pipeline.data", bytes);
        using var offline = OfflineStore.Open(DamagedStore.Options(store.Disk));
        Assert.Contains("neither of the meta pages", Assert.Single(offline.Problems).Reason);
        Assert.Equal(store.Model.Keys, offline.TreeNames());
        Assert.False(offline.Check().IsSound);
    }

    [Fact]
    public void Where_there_is_no_store_that_is_said()
    {
        using var folder = new TestFolder();
        Assert.Throws<FileNotFoundException>(() => OfflineStore.Open(new StorageOptions { Path = folder.Path }));
    }
}
