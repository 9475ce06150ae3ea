using System.Buffers.Binary;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>The checker ends on any bytes, and reports damage that matters.</summary>
public sealed unsafe class TreeCheckerTests(ITestOutputHelper output)
{
    [Fact]
    public void Random_damage_ends_in_a_report()
    {
        const int seed = 20;
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using var store = new MemoryPages { Verify = false };
        var access = store.Write();
        var catalog = new TreeCatalog(access);
        var tree = catalog.OpenOrCreate("t");
        var key = new byte[8];
        for (var i = 0; i < 3000; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, i * 7);
            tree.Put(key, new byte[i % 50 == 0 ? 4000 : 60]);
        }

        var numbers = new List<long>();
        Assert.Empty(TreeChecker.Check(access, tree, (page, _) => numbers.Add(page)).Problems);
        var found = 0;
        for (var i = 0; i < 1500; i++)
        {
            var page = access.GetPage(numbers[random.Next(numbers.Count)]);
            var at = random.Next(3) == 0 ? random.Next(4, 64) : random.Next(64, 400);
            var before = page[at];
            page[at] ^= (byte)(1 << random.Next(8));
            if (TreeChecker.Check(access, tree).ProblemCount > 0)
                found++;
            page[at] = before;
        }

        Assert.True(found > 300, $"{found} found");
        Assert.Empty(TreeChecker.Check(access, tree).Problems);
    }

    [Fact]
    public void Keys_out_of_order_are_named()
    {
        using var store = new MemoryPages();
        var access = store.Write();
        var tree = new TreeCatalog(access).OpenOrCreate("t");
        tree.Put([1], []);
        tree.Put([2], []);
        var slots = (ulong*)(access.GetPage(tree.State.Root) + 64);
        (slots[0], slots[1]) = (slots[1], slots[0]);
        var problem = Assert.Single(TreeChecker.Check(access, tree).Problems);
        Assert.Equal($"tree 't', page {tree.State.Root}: key 1 (01) does not follow 02", problem.ToString());
    }
}
