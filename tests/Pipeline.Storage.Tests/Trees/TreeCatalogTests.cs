using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Trees;

public sealed class TreeCatalogTests
{
    [Fact]
    public void Trees_are_made_listed_and_found_again()
    {
        using var store = new MemoryPages();
        var access = store.Write();
        var catalog = new TreeCatalog(access);
        Assert.Null(catalog.TryOpen("a"));
        Assert.Empty(catalog.Names());
        for (var i = 0; i < 500; i++)
            catalog.OpenOrCreate($"tree/{i:D3}").Put([1], [(byte)i]);
        Assert.Same(catalog.OpenOrCreate("tree/007"), catalog.TryOpen("tree/007"));
        catalog.Save();
        store.Commit(access);
        var reader = new TreeCatalog(store.Read());
        Assert.Equal(Enumerable.Range(0, 500).Select(i => $"tree/{i:D3}"), reader.Names());
        Assert.Equal(1, reader.TryOpen("tree/499")!.Count);
        Assert.Empty(TreeChecker.Check(store.Read(), reader.Catalog()!, checkFigures: false).Problems);
    }

    [Fact]
    public void Dropping_a_tree_frees_all_its_pages()
    {
        using var store = new MemoryPages();
        var access = store.Write();
        var catalog = new TreeCatalog(access);
        catalog.OpenOrCreate("keep");
        var pages = access.Pages.Sum(p => (long)p.Pages);
        foreach (var large in new[] { 0, 5000 })
        {
            var tree = catalog.OpenOrCreate("drop");
            for (var i = 0; i < 3000; i++)
                tree.Put(Encoding.UTF8.GetBytes($"key {i}"), new byte[i % 100 == 0 ? large : 200]);
            Assert.True(tree.BranchPages > 0);
            Assert.True(catalog.Drop("drop"));
            Assert.Equal(pages, access.Pages.Sum(p => (long)p.Pages));
            Assert.Throws<ObjectDisposedException>(() => tree.TryGet([], out _));
            Assert.Null(catalog.TryOpen("drop"));
            Assert.False(catalog.Drop("drop"));
        }

        Assert.Equal(["keep"], catalog.Names());
    }

    [Fact]
    public void A_name_must_fit_a_key()
    {
        using var store = new MemoryPages();
        var catalog = new TreeCatalog(store.Write());
        Assert.Throws<ArgumentException>(() => catalog.OpenOrCreate(""));
        Assert.Equal(
            1026,
            Assert.Throws<KeyTooLargeException>(() => catalog.OpenOrCreate(new string('é', 513))).Length
        );
        Assert.NotNull(catalog.OpenOrCreate(new string('é', 512)));
    }
}
