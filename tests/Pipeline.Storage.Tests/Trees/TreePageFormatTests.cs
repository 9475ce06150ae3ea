using Xunit;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>The bytes of pages are those in engine/FORMAT.md.</summary>
public sealed unsafe class TreePageFormatTests
{
    [Fact]
    public void A_leaf_has_these_bytes()
    {
        using var store = new MemoryPages();
        var access = store.Write();
        var tree = new TreeCatalog(access).OpenOrCreate("t");
        var page = access.GetPage(tree.State.Root);
        new TreePage(page).Reset(PageType.Leaf, "doc/"u8);
        tree.Put("doc/1"u8, "one"u8);
        tree.Put("doc/second"u8, "2"u8);
        tree.Put("doc/3"u8, new byte[3000]);
        Assert.Empty(TreeChecker.Check(access, tree).Problems);

        // Type and flags; dead bytes, last insert at slot 1 and no sequence, lower, upper, count, prefix length.
        Assert.Equal("0400", Hex(page, 4, 2));
        Assert.Equal("0000" + "0100" + "6000" + "E81F" + "0300" + "0400", Hex(page, 52, 12));

        // The prefix; the slots of "1", "3" (in a run) and "second": offset, length and flags, head.
        Assert.Equal("646F632F" + "00000000", Hex(page, 64, 8));
        Assert.Equal(
            "FB1F" + "0100" + "00000031" + "E81F" + "0180" + "00000033" + "F61F" + "0600" + "6F636573",
            Hex(page, 72, 24)
        );
        Assert.All(new ReadOnlySpan<byte>(page + 96, 8168 - 96).ToArray(), b => Assert.Equal(0, b));

        // Entries from the last one made: run 5 of 3,000 bytes; "nd", "2"; "one".
        Assert.Equal(
            "0C00" + "0500000000000000" + "B80B0000" + "6E64" + "0100" + "32" + "0300" + "6F6E65",
            Hex(page, 8168, 24)
        );

        var run = access.GetPage(5);
        Assert.Equal("05", Hex(run, 4, 1));
        Assert.Equal("0500000000000000", Hex(run, 8, 8));
        Assert.Equal("B80B0000", Hex(run, 52, 4));
    }

    [Fact]
    public void A_branch_has_these_bytes()
    {
        using var store = new MemoryPages();
        var page = new TreePage(store.Write().AllocateRun(1, PageType.Branch, out _));
        page.Reset(PageType.Branch, "k"u8);
        page.AppendFirstChild(0x11);
        page.AppendChild("kabcdef"u8, 0x22);
        page.AppendChild("kz"u8, 0x33);
        Assert.Equal("0000" + "0000" + "6000" + "E61F" + "0300" + "0100", Hex(page.Pointer, 52, 12));
        Assert.Equal("6B00000000000000", Hex(page.Pointer, 64, 8));
        Assert.Equal(
            "F81F" + "0000" + "00000000" + "EE1F" + "0600" + "64636261" + "E61F" + "0100" + "0000007A",
            Hex(page.Pointer, 72, 24)
        );
        Assert.Equal(
            "3300000000000000" + "6566" + "2200000000000000" + "1100000000000000",
            Hex(page.Pointer, 8166, 26)
        );
        Assert.Equal(0, page.ChildIndex("a"u8));
        Assert.Equal(1, page.ChildIndex("kabcdef"u8));
        Assert.Equal(1, page.ChildIndex("ky"u8));
        Assert.Equal(2, page.ChildIndex("l"u8));
    }

    [Fact]
    public void A_catalog_entry_has_these_bytes()
    {
        var state = new TreeState
        {
            Root = 1,
            Count = 2,
            LeafPages = 3,
            BranchPages = 4,
            OverflowPages = 5,
            Depth = 6,
        };
        var value = new byte[TreeState.Size];
        state.Write(value);
        Assert.Equal(
            "0100000000000000"
                + "0200000000000000"
                + "0300000000000000"
                + "0400000000000000"
                + "0500000000000000"
                + "06000000"
                + "00000000",
            Convert.ToHexString(value)
        );
        Assert.True(TreeState.TryRead(value, out var read));
        Assert.Equal(state, read);
        Assert.False(TreeState.TryRead(value.AsSpan(1), out _));
    }

    private static string Hex(byte* page, int at, int length) =>
        Convert.ToHexString(new ReadOnlySpan<byte>(page + at, length));
}
