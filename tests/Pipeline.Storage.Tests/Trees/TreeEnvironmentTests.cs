using Pipeline.TestKit.Files;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>
/// Trees within a real environment: several trees, failed operations, snapshots across flushes, reopening; all pages
/// accounted for.
/// </summary>
public sealed class TreeEnvironmentTests(ITestOutputHelper output)
{
    private static readonly string[] Names = ["a", "b", "c"];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Trees_and_models_agree_across_snapshots_and_reopening(int seed)
    {
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using var folder = new TestFolder();
        var models = Names.ToDictionary(n => n, _ => new SortedDictionary<byte[], byte[]>(ByteOrder.Instance));
        for (var round = 0; round < 3; round++)
        {
            using var environment = StorageEnvironment.Open(
                new StorageOptions { Path = folder.Path, FlushJournalBytes = 1 << 18 }
            );
            var held =
                new List<(ReadTransaction Transaction, Dictionary<string, KeyValuePair<byte[], byte[]>[]> Content)>();
            for (var step = 0; step < 15; step++)
            {
                await ChangeAsync(environment, models, random);
                if (random.Next(4) == 0)
                    held.Add((environment.BeginRead(), models.ToDictionary(m => m.Key, m => m.Value.ToArray())));
                if (random.Next(5) == 0)
                    environment.Flush();
            }

            held.Add((environment.BeginRead(), models.ToDictionary(m => m.Key, m => m.Value.ToArray())));
            foreach (var (transaction, content) in held)
            {
                using (transaction)
                    Compare(transaction, content);
            }

            AccountForAllPages(environment);
        }
    }

    /// <summary>
    /// Each page in use belongs to one tree, is an allocation page or a meta page; all others are free.
    /// </summary>
    private static void AccountForAllPages(StorageEnvironment environment)
    {
        using var transaction = environment.BeginRead();
        var reached = new HashSet<long>();
        void Reach(long page, int count)
        {
            for (var i = 0; i < count; i++)
                Assert.True(reached.Add(page + i), $"page {page + i} is used twice");
        }

        foreach (var name in transaction.TreeNames())
            Assert.Empty(TreeChecker.Check(transaction.Pages, transaction.OpenTree(name), Reach).Problems);
        Assert.Empty(
            TreeChecker.Check(transaction.Pages, transaction.Catalog.Catalog()!, Reach, checkFigures: false).Problems
        );
        var statistics = environment.GetStatistics();
        const int metaAndAllocation = 3;
        Assert.Equal(statistics.PageCount - statistics.FreePages, reached.Count + metaAndAllocation);
    }

    private static async Task ChangeAsync(
        StorageEnvironment environment,
        Dictionary<string, SortedDictionary<byte[], byte[]>> models,
        Random random
    )
    {
        var changes = new List<(string Tree, byte[] Key, byte[]? Value)>();
        for (var i = random.Next(120); i >= 0; i--)
        {
            var name = Names[random.Next(Names.Length)];
            var key = Keys.Next(random, (KeyShape)Array.IndexOf(Names, name));
            var value = random.Next(3) == 0 ? null : new byte[Keys.ValueLength(random)];
            if (value is not null)
                random.NextBytes(value);
            changes.Add((name, key, value));
        }

        var fails = random.Next(6) == 0;
        var drops = random.Next(8) == 0 ? Names[random.Next(Names.Length)] : null;
        var write = environment.WriteAsync(transaction =>
        {
            if (drops is not null)
                transaction.DropTree(drops);
            foreach (var (name, key, value) in changes)
            {
                var tree = transaction.CreateTree(name);
                if (value is null)
                    tree.Delete(key);
                else
                    tree.Put(key, value);
            }

            if (fails)
                throw new InvalidDataException("planned");
        });
        if (fails)
        {
            await Assert.ThrowsAsync<InvalidDataException>(() => write);
            return;
        }

        await write;
        if (drops is not null)
            models[drops].Clear();
        foreach (var (name, key, value) in changes)
        {
            if (value is null)
                models[name].Remove(key);
            else
                models[name][key] = value;
        }
    }

    private static void Compare(ReadTransaction transaction, Dictionary<string, KeyValuePair<byte[], byte[]>[]> content)
    {
        foreach (var (name, pairs) in content)
        {
            if (!transaction.TryOpenTree(name, out var tree))
            {
                Assert.Empty(pairs);
                continue;
            }

            Assert.Empty(TreeChecker.Check(transaction.Pages, tree).Problems);
            Assert.Equal(pairs.Length, tree.Count);
            using var cursor = tree.OpenCursor();
            var i = 0;
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext(), i++)
            {
                Assert.True(cursor.Key.SequenceEqual(pairs[i].Key));
                Assert.True(cursor.Value.SequenceEqual(pairs[i].Value));
            }

            Assert.Equal(pairs.Length, i);
        }
    }
}
