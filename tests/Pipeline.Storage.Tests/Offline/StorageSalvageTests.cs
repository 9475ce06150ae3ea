using System.Text;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Storage.Tests.Offline;

public sealed class StorageSalvageTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task All_that_is_readable_is_copied_and_the_rest_is_listed(bool closed)
    {
        const int seed = 11;
        var store = await DamagedStore.MakeAsync(seed, closed);
        var places = Places(store);
        var inJournal = new HashSet<long>();
        using (var offline = OfflineStore.Open(DamagedStore.Options(store.Disk)))
        {
            for (var page = 0L; page < offline.Pages.State.PageCount; page++)
            {
                if (offline.Pages.IsInJournal(page))
                    inJournal.Add(page);
            }
        }
        var pages = store.Disk.Get(DamagedStore.Folder + "/pipeline.data").Length / PageLayout.PageSize;
        var (lostKeys, found) = (0L, 0L);
        for (var round = 0; round < 60; round++)
        {
            var where = $"seed {seed}, closed {closed}, round {round}";
            var random = new Random((seed * 1000) + round);
            var disk = store.Copy();
            var spoiled = new HashSet<long>();
            for (var i = random.Next(1, 9); i > 0; i--)
            {
                var page = random.Next(4) switch
                {
                    0 => random.Next(3, 12),
                    1 => random.Next(2),
                    _ => random.Next(3, pages),
                };
                spoiled.Add(page);
                if (random.Next(3) == 0)
                    Misplace(disk, random.Next(3, pages), page);
                else
                    DamagedStore.SpoilPage(disk, page, random);
            }
            // The journal may have all of a spoiled page, or only what changed in it.
            var perhaps = spoiled.Where(inJournal.Contains).ToHashSet();
            spoiled.ExceptWith(perhaps);
            using var target = StorageEnvironment.Open(new StorageOptions());
            var report = await StorageSalvage.RunAsync(DamagedStore.Options(disk), target, store.Model.Keys);
            Assert.True(report.UnplacedPages.Count == 0 && report.UncertainPages.Count == 0, where);
            using var read = target.BeginRead();
            Assert.True(store.Model.Keys.SequenceEqual(report.Trees.Select(t => t.Name)), where);
            foreach (var (name, tree) in store.Model)
            {
                var result = report.Trees.Single(t => t.Name == name);
                var copied = Content(read, name);
                Assert.Equal(result.Copied, copied.Count);
                foreach (var (key, value) in tree)
                {
                    var readable = !places[(name, key)].Exists(spoiled.Contains);
                    var has = copied.TryGetValue(key, out var got);
                    if (readable && !has && places[(name, key)].Exists(perhaps.Contains))
                        readable = false;
                    // Without the newest meta page the journal is read from its first entry on, which may give what the
                    // data file has lost.
                    readable |= has && !closed && (spoiled.Contains(0) || spoiled.Contains(1));
                    Assert.True(
                        has == readable,
                        $"{where}: {name} {key} readable {readable}, pages {string.Join(' ', places[(name, key)])}; spoiled {string.Join(' ', spoiled)}, perhaps {string.Join(' ', perhaps)}; {string.Join("; ", report.StoreProblems)}; {string.Join("; ", report.CatalogLost)}; {string.Join("; ", result.Lost.Take(5))}"
                    );
                    if (readable)
                    {
                        Assert.True(got!.AsSpan().SequenceEqual(value), $"{where}: {name} {key} has another value");
                    }
                    else
                    {
                        Assert.True(
                            result.Lost.Any(l => l.Range.Contains(Encoding.UTF8.GetBytes(key))),
                            $"{where}: {name} {key} is lost and not listed"
                        );
                    }
                }
                Assert.True(copied.Keys.All(tree.ContainsKey), $"{where}: {name} has keys that it had not");
                if (result.Expected is { } expected)
                {
                    Assert.Equal(tree.Count, expected);
                    Assert.Equal(tree.Count - copied.Count, result.LostCount);
                }
                found += copied.Count;
                lostKeys += tree.Count - copied.Count;
            }
            Assert.True(StorageChecker.Check(target).IsSound);
        }
        output.WriteLine($"{found} keys copied, {lostKeys} lost");
        Assert.True(lostKeys > 100 && found > lostKeys);
    }

    [Fact]
    public async Task What_is_not_certain_to_be_in_use_is_left_out_and_counted()
    {
        var store = await DamagedStore.MakeAsync(12, closed: true);
        long root;
        using (var offline = OfflineStore.Open(DamagedStore.Options(store.Disk)))
            root = offline.Trees()["tree1"].Root;
        var random = new Random(12);
        DamagedStore.SpoilPage(store.Disk, root, random);
        DamagedStore.SpoilPage(store.Disk, 2, random);
        using var target = StorageEnvironment.Open(new StorageOptions());
        var report = await StorageSalvage.RunAsync(DamagedStore.Options(store.Disk), target, []);
        Assert.NotEmpty(report.UncertainPages);
        Assert.False(report.IsComplete);
        var tree = report.Trees.Single(t => t.Name == "tree1");
        Assert.Equal((0L, (long?)store.Model["tree1"].Count), (tree.Copied, tree.LostCount));
        Assert.Equal(new KeyRange(null, null), Assert.Single(tree.Lost).Range);
        using var read = target.BeginRead();
        Assert.Equal(store.Model["tree0"], Content(read, "tree0"));
        Assert.Equal(store.Model["tree2"], Content(read, "tree2"));
    }

    [Fact]
    public async Task A_damaged_journal_gives_the_state_up_to_it()
    {
        var store = await DamagedStore.MakeAsync(13, closed: false);
        var entries = store
            .Disk.Paths.Where(p => p.EndsWith(".journal", StringComparison.Ordinal))
            .SelectMany(p =>
                Enumerable.Range(1, (store.Disk.Get(p).Length / 4096) - 1).Select(b => (Path: p, At: b * 4096))
            )
            .Where(e => BitConverter.ToUInt32(store.Disk.Get(e.Path), e.At) == JournalLayout.EntryMagic)
            .OrderBy(e => BitConverter.ToInt64(store.Disk.Get(e.Path), e.At + 16))
            .ToList();
        var (path, at) = entries[^3];
        var bytes = store.Disk.Get(path);
        bytes[at + 300] ^= 1;
        store.Disk.Put(path, bytes);
        Assert.Throws<JournalCorruptException>(() => StorageEnvironment.Open(DamagedStore.Options(store.Disk)));
        using var target = StorageEnvironment.Open(new StorageOptions());
        var report = await StorageSalvage.RunAsync(DamagedStore.Options(store.Disk), target, []);
        Assert.Contains(
            $"transactions from {report.Transaction + 1} on are lost",
            Assert.Single(report.StoreProblems).Reason
        );
        Assert.All(report.Trees, t => Assert.Empty(t.Lost));
        Assert.False(report.IsComplete);
    }

    [Fact]
    public async Task A_sound_store_is_copied_whole()
    {
        var store = await DamagedStore.MakeAsync(14, closed: false);
        using var target = StorageEnvironment.Open(new StorageOptions());
        var report = await StorageSalvage.RunAsync(DamagedStore.Options(store.Disk), target, []);
        Assert.True(report.IsComplete);
        using var read = target.BeginRead();
        Assert.All(store.Model, t => Assert.Equal(t.Value, Content(read, t.Key)));
    }

    private static SortedDictionary<string, byte[]> Content(ReadTransaction read, string tree)
    {
        var found = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
        using var cursor = read.OpenTree(tree).OpenCursor();
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            found.Add(Encoding.UTF8.GetString(cursor.Key), cursor.Value.ToArray());
        return found;
    }

    /// <summary>The pages that each key's leaf and value lie on.</summary>
    private static Dictionary<(string Tree, string Key), List<long>> Places(DamagedStore store)
    {
        var places = new Dictionary<(string Tree, string Key), List<long>>();
        using var offline = OfflineStore.Open(DamagedStore.Options(store.Disk));
        foreach (var (name, tree) in offline.Trees())
        {
            var walk = new LeafWalk(offline.Pages, []);
            walk.Walk(tree.Root, new KeyRange(null, null), default);
            foreach (var leaf in walk.Leaves)
            {
                var page = leaf.Page(offline.Pages);
                for (var i = 0; i < page.Count; i++)
                {
                    var pages = new List<long> { leaf.Number };
                    if (page.IsOverflow(i))
                    {
                        var run = page.OverflowRun(i, out var length);
                        for (var p = 0; p < PageLayout.PagesForOverflow(length); p++)
                        {
                            // A run of the journal's lies there whole, under its first page's number.
                            if (p == 0 || !offline.Pages.IsInJournal(run))
                                pages.Add(run + p);
                        }
                    }
                    places.Add((name, Encoding.UTF8.GetString(LeafWalk.KeyOf(page, i))), pages);
                }
            }
        }
        return places;
    }

    private static void Misplace(SimulatedDisk disk, long from, long to)
    {
        var bytes = disk.Get(DamagedStore.Folder + "/pipeline.data");
        var page = bytes.AsSpan((int)(from * PageLayout.PageSize), PageLayout.PageSize);
        if (from == to)
            page.Clear();
        page.CopyTo(bytes.AsSpan((int)(to * PageLayout.PageSize)));
        disk.Put(DamagedStore.Folder + "/pipeline.data", bytes);
    }
}
