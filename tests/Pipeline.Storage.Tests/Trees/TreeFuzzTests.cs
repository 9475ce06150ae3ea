using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>
/// Random operations on a tree and on a sorted dictionary give the same, transaction by transaction, snapshots held
/// across.
/// </summary>
public sealed class TreeFuzzTests(ITestOutputHelper output)
{
    private sealed record Snapshot(MemoryAccess Access, KeyValuePair<byte[], byte[]>[] Content);

    public static TheoryData<int, KeyShape> Cases
    {
        get
        {
            var seeds = RunSetting.Read("PIPELINE_FUZZ_SEEDS", 3);
            var cases = new TheoryData<int, KeyShape>();
            foreach (var shape in Enum.GetValues<KeyShape>())
            {
                for (var seed = 1; seed <= seeds; seed++)
                    cases.Add(seed, shape);
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Behaves_as_a_sorted_dictionary(int seed, KeyShape shape)
    {
        seed = RunSetting.Read("PIPELINE_SEED", seed);
        output.WriteLine($"seed {seed}, keys {shape} (PIPELINE_SEED={seed} replays)");
        var random = new Random(seed * 7919 + (int)shape);
        using var store = new MemoryPages();
        var committed = Array.Empty<KeyValuePair<byte[], byte[]>>();
        var model = new SortedDictionary<byte[], byte[]>(ByteOrder.Instance);
        var held = new List<Snapshot>();
        for (var transaction = 0; transaction < 30; transaction++)
        {
            var access = store.Write();
            var catalog = new TreeCatalog(access);
            var tree = catalog.OpenOrCreate("fuzz");
            var growing = transaction % 10 < 6;
            var operations = random.Next(1, 250);
            for (var i = 0; i < operations; i++)
                Step(random, shape, tree, model, growing);
            catalog.Save();
            CheckTree(store, access, tree, model.ToArray(), random, shape);
            if (random.Next(10) == 0)
            {
                model = Model(committed);
                continue;
            }

            store.Commit(access);
            catalog.Close();
            committed = model.ToArray();
            if (random.Next(5) == 0)
                held.Add(new Snapshot(store.Read(), committed));
        }

        foreach (var snapshot in held)
            CheckScans(new TreeCatalog(snapshot.Access).TryOpen("fuzz")!, snapshot.Content, random, shape);
        Empty(store, model, random);
    }

    /// <summary>Deletes everything in random order; one empty leaf must remain, and no other page.</summary>
    private static void Empty(MemoryPages store, SortedDictionary<byte[], byte[]> model, Random random)
    {
        var access = store.Write();
        var catalog = new TreeCatalog(access);
        var tree = catalog.OpenOrCreate("fuzz");
        var keys = model.Keys.ToArray();
        random.Shuffle(keys);
        foreach (var key in keys)
            Assert.True(tree.Delete(key));
        Assert.Equal(0, tree.Count);
        var report = TreeChecker.Check(access, tree);
        Assert.Empty(report.Problems);
        Assert.Equal((1, 0, 0, 1), (report.LeafPages, report.BranchPages, report.OverflowPages, report.Depth));
        catalog.Save();
        store.Commit(access);
        Assert.Equal(2, store.PagesInUse);
    }

    private static void Step(
        Random random,
        KeyShape shape,
        Tree tree,
        SortedDictionary<byte[], byte[]> model,
        bool growing
    )
    {
        var key = Keys.Next(random, shape);
        var choice = random.Next(100);
        if (model.Count > 0 && choice < (growing ? 25 : 70))
        {
            // An existing key, found through the tree itself.
            using var cursor = tree.OpenCursor();
            key = cursor.Seek(key) || cursor.SeekFirst() ? cursor.Key.ToArray() : key;
            choice = random.Next(100) < 70 ? 0 : 50;
        }

        if (choice is 15 or 16)
        {
            PutSorted(random, shape, tree, model);
            return;
        }

        if (random.Next(4) == 0)
            Assert.Equal(model.ContainsKey(key), tree.Contains(key));
        if (choice < 15)
        {
            Assert.Equal(model.Remove(key), tree.Delete(key));
            return;
        }

        var value = new byte[Keys.ValueLength(random)];
        random.NextBytes(value);
        if (choice % 3 == 0)
            value.CopyTo(tree.Reserve(key, value.Length));
        else
            Assert.Equal(!model.ContainsKey(key), tree.Put(key, value));
        model[key] = value;
    }

    private static void PutSorted(Random random, KeyShape shape, Tree tree, SortedDictionary<byte[], byte[]> model)
    {
        var batch = new SortedDictionary<byte[], byte[]>(ByteOrder.Instance);
        for (var i = random.Next(40); i >= 0; i--)
        {
            var value = new byte[random.Next(30) == 0 ? Keys.ValueLength(random) : random.Next(60)];
            random.NextBytes(value);
            batch[Keys.Next(random, shape)] = value;
        }

        var entries = batch
            .Select(e => new KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(e.Key, e.Value))
            .ToArray();
        Assert.Equal(batch.Keys.Count(k => !model.ContainsKey(k)), tree.PutSorted(entries));
        foreach (var (key, value) in batch)
            model[key] = value;
    }

    private static void CheckTree(
        MemoryPages store,
        MemoryAccess access,
        Tree tree,
        KeyValuePair<byte[], byte[]>[] content,
        Random random,
        KeyShape shape
    )
    {
        Assert.Equal(content.Length, tree.Count);
        long reached = 0;
        var report = TreeChecker.Check(access, tree, (_, pages) => reached += pages);
        Assert.Empty(report.Problems);
        var catalog = new TreeCatalog(access).Catalog()!;
        Assert.Empty(TreeChecker.Check(access, catalog, (_, pages) => reached += pages, checkFigures: false).Problems);
        Assert.Equal(access.Pages.Sum(p => (long)p.Pages), reached);
        Assert.Equal(tree.State, new TreeCatalog(access).TryOpen("fuzz")!.State);
        CheckScans(tree, content, random, shape);
        Assert.True(store.LastTransaction < access.TransactionId);
    }

    private static void CheckScans(Tree tree, KeyValuePair<byte[], byte[]>[] content, Random random, KeyShape shape)
    {
        using var cursor = tree.OpenCursor();
        var i = 0;
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext(), i++)
            AssertAt(cursor, content[i]);
        Assert.Equal(content.Length, i);
        for (var more = cursor.SeekLast(); more; more = cursor.MovePrevious())
            AssertAt(cursor, content[--i]);
        Assert.Equal(0, i);
        for (var n = 0; n < 50; n++)
        {
            var key =
                random.Next(2) == 0 && content.Length > 0
                    ? content[random.Next(content.Length)].Key
                    : Keys.Next(random, shape);
            var at = Array.BinarySearch(content, new KeyValuePair<byte[], byte[]>(key, []), ByteOrder.OfPairs);
            Assert.Equal(at >= 0, tree.TryGet(key, out var value));
            Assert.Equal(at >= 0 ? content[at].Value : [], value.ToArray());
            var first = at >= 0 ? at : ~at;
            Assert.Equal(first < content.Length, cursor.Seek(key));
            for (i = first; i < Math.Min(first + 3, content.Length); i++, cursor.MoveNext())
                AssertAt(cursor, content[i]);
            Assert.Equal(first > 0, cursor.SeekBefore(key));
            for (i = first - 1; i >= Math.Max(0, first - 3); i--, cursor.MovePrevious())
                AssertAt(cursor, content[i]);
        }
    }

    private static void AssertAt(TreeCursor cursor, KeyValuePair<byte[], byte[]> expected)
    {
        if (!cursor.Key.SequenceEqual(expected.Key))
            Assert.Equal(expected.Key, cursor.Key.ToArray());
        if (!cursor.Value.SequenceEqual(expected.Value))
            Assert.Equal(expected.Value, cursor.Value.ToArray());
    }

    private static SortedDictionary<byte[], byte[]> Model(KeyValuePair<byte[], byte[]>[] content)
    {
        var model = new SortedDictionary<byte[], byte[]>(ByteOrder.Instance);
        foreach (var (key, value) in content)
            model.Add(key, value);
        return model;
    }
}
