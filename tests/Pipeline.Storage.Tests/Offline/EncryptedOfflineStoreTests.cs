using System.Text;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Storage.Tests.Offline;

public sealed class EncryptedOfflineStoreTests
{
    [Fact]
    public async Task Another_key_no_key_and_a_needless_key_are_told_apart()
    {
        var store = await DamagedStore.MakeAsync(1, closed: true, encrypted: true);
        var options = DamagedStore.Options(store.Disk, encrypted: true);
        var wrong = new StorageEncryption { Key = new byte[32] };
        Assert.Equal(
            "the given bytes",
            Assert.Throws<WrongKeyException>(() => OfflineStore.Open(options with { Encryption = wrong })).KeySource
        );
        var none = Assert.Throws<EncryptionMismatchException>(() =>
            OfflineStore.Open(options with { Encryption = null })
        );
        Assert.Contains("--key-file", none.Message, StringComparison.Ordinal);
        using (var right = OfflineStore.Open(options))
            Assert.True(right.Check().IsSound);

        var plain = await DamagedStore.MakeAsync(1, closed: true);
        Assert.False(
            Assert
                .Throws<EncryptionMismatchException>(() =>
                    OfflineStore.Open(DamagedStore.Options(plain.Disk, encrypted: true))
                )
                .IsEncrypted
        );
    }

    [Fact]
    public async Task With_the_newer_meta_page_damaged_the_journals_last_entries_are_decrypted_and_give_the_state()
    {
        var store = await DamagedStore.MakeAsync(4, closed: false, encrypted: true);
        var newest = NewestMeta(store.Disk);
        DamagedStore.SpoilPage(store.Disk, newest, new Random(4));
        using var offline = OfflineStore.Open(DamagedStore.Options(store.Disk, encrypted: true));
        var found = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
        offline.Scan(
            "tree1",
            (k, v) => found.Add(Encoding.UTF8.GetString(k), v.ToArray()),
            lost => Assert.Fail(lost.ToString())
        );
        Assert.Equal(store.Model["tree1"], found);
        Assert.DoesNotContain(offline.Problems, p => p.IsLoss);
    }

    [Fact]
    public async Task With_both_meta_pages_lost_the_keys_are_and_that_is_said()
    {
        var store = await DamagedStore.MakeAsync(4, closed: true, encrypted: true);
        var bytes = store.Disk.Get(DamagedStore.Folder + "/pipeline.data");
        bytes.AsSpan(0, 2 * PageLayout.PageSize).Clear();
        store.Disk.Put(DamagedStore.Folder + "/pipeline.data", bytes);
        using var offline = OfflineStore.Open(DamagedStore.Options(store.Disk, encrypted: true));
        Assert.Contains(
            offline.Problems,
            p => p.IsLoss && p.Reason.Contains("its keys were in the meta pages", StringComparison.Ordinal)
        );
        Assert.DoesNotContain(offline.Problems, p => p.Reason.Contains("the store is not", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_damaged_one_is_salvaged_and_the_copy_has_all_but_what_is_listed()
    {
        var store = await DamagedStore.MakeAsync(7, closed: false, encrypted: true);
        var random = new Random(7);
        for (var i = 0; i < 3; i++)
            DamagedStore.SpoilPage(store.Disk, 10 + random.Next(60), random);
        var target = new SimulatedDisk(record: false);
        using var copy = StorageEnvironment.Open(DamagedStore.Options(target, encrypted: true));
        var report = await StorageSalvage.RunAsync(
            DamagedStore.Options(store.Disk, encrypted: true),
            copy,
            store.Model.Keys
        );
        using var read = copy.BeginRead();
        var (copied, lost) = (0L, 0L);
        foreach (var (name, model) in store.Model)
        {
            var salvaged = Assert.Single(report.Trees, t => t.Name == name);
            var tree = read.OpenTree(name);
            Assert.Equal(tree.Count, salvaged.Copied);
            Assert.Equal(model.Count - tree.Count, salvaged.LostCount);
            foreach (var (key, value) in model)
            {
                var bytes = Encoding.UTF8.GetBytes(key);
                if (tree.TryGet(bytes, out var there))
                    Assert.True(there.SequenceEqual(value));
                else
                    Assert.Contains(salvaged.Lost, l => l.Range.Contains(bytes));
            }
            (copied, lost) = (copied + salvaged.Copied, lost + salvaged.LostCount!.Value);
        }
        Assert.True(copied > 100 && lost > 0, $"{copied} copied, {lost} lost");
    }

    [Fact]
    public async Task A_walk_keeps_few_decrypted_pages_in_memory()
    {
        var store = await DamagedStore.MakeAsync(2, closed: true, encrypted: true);
        using var offline = OfflineStore.Open(DamagedStore.Options(store.Disk, encrypted: true));
        var most = 0L;
        var bytes = 0L;
        foreach (var name in store.Model.Keys)
        {
            offline.Scan(
                name,
                (_, value) => (most, bytes) = (Math.Max(most, offline.Pages.PlainBytes), bytes + value.Length),
                lost => Assert.Fail(lost.ToString())
            );
        }
        // One leaf with its runs, of up to 23 KB, may come on top of the limit.
        Assert.InRange(most, 1, DamagedStore.Key.MaxPlainBytes + 400_000);
        Assert.True(bytes > 2 * most, $"{bytes} bytes read, {most} kept");
    }

    private static unsafe long NewestMeta(SimulatedDisk disk)
    {
        var bytes = disk.Get(DamagedStore.Folder + "/pipeline.data");
        fixed (byte* start = bytes)
        {
            var (first, second) = (MetaPage.Decode("", start, 0), MetaPage.Decode("", start + PageLayout.PageSize, 1));
            return second is null || first?.Sequence > second.Sequence ? 0 : 1;
        }
    }
}
