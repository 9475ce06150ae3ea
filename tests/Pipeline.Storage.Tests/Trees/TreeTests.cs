using System.Buffers.Binary;
using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Trees;

public sealed class TreeTests : IDisposable
{
    private readonly MemoryPages _store = new() { Verify = false };
    private readonly MemoryAccess _access;
    private readonly TreeCatalog _catalog;
    private readonly Tree _tree;

    public TreeTests()
    {
        _access = _store.Write();
        _catalog = new TreeCatalog(_access);
        _tree = _catalog.OpenOrCreate("t");
    }

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData(300, 0.9)]
    [InlineData(20, 0.9)]
    [InlineData(0, 0.9)]
    [InlineData(700, 0.9)]
    public void Rising_keys_fill_pages(int valueLength, double fill)
    {
        var value = new byte[valueLength];
        for (var i = 0; i < 100_000; i++)
            Assert.True(_tree.Put(Number(i), value));
        var report = Check();
        Assert.True(report.LeafFill > fill, $"leaf fill {report.LeafFill}");
        Assert.Equal(100_000, report.Count);
    }

    [Fact]
    public void Rising_sequences_between_others_fill_pages()
    {
        var value = new byte[100];
        foreach (var stem in new[] { "m", "z", "a", "c", "b" })
            _tree.Put(Encoding.UTF8.GetBytes(stem), value);
        for (var i = 0; i < 30_000; i++)
            _tree.Put(Encoding.UTF8.GetBytes($"{"cab"[i % 3]}/{i:D9}"), value);
        var report = Check();
        Assert.True(report.LeafFill > 0.9, $"leaf fill {report.LeafFill}");
    }

    [Fact]
    public void Scattered_deletes_leave_no_near_empty_pages()
    {
        var value = new byte[200];
        for (var i = 0; i < 50_000; i++)
            _tree.Put(Number(i), value);
        for (var i = 0; i < 50_000; i++)
        {
            if (i % 20 != 7)
                Assert.True(_tree.Delete(Number(i)));
        }

        var report = Check();
        Assert.Equal(2_500, report.Count);
        Assert.True(report.LeafFill > 0.33, $"leaf fill {report.LeafFill}");
    }

    [Fact]
    public void Reads_and_scans_allocate_nothing()
    {
        for (var i = 0; i < 20_000; i++)
            _tree.Put(Number(i), Number(i * 3));
        var key = new byte[8];
        using var cursor = _tree.OpenCursor();
        long sum = 0;
        for (var round = 0; round < 2; round++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < 20_000; i++)
            {
                BinaryPrimitives.WriteInt64BigEndian(key, i);
                Assert.True(_tree.TryGet(key, out var value));
                sum += value.Length;
            }

            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
                sum += cursor.Key.Length + cursor.Value.Length;
            for (var more = cursor.SeekLast(); more; more = cursor.MovePrevious())
                sum += cursor.Key.Length;
            if (round == 1)
                Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(2 * 20_000 * (8 + 16 + 8), sum);
    }

    [Fact]
    public void A_key_over_the_limit_is_refused_everywhere()
    {
        Assert.True(_tree.Put(new byte[1024], [1]));
        var key = new byte[1025];
        using var cursor = _tree.OpenCursor();
        Assert.Equal(
            "A key of 1,025 bytes is over the limit of 1,024 bytes.",
            Assert.Throws<KeyTooLargeException>(() => _tree.Put(key, [])).Message
        );
        Assert.Throws<KeyTooLargeException>(() => _tree.TryGet(key, out _));
        Assert.Throws<KeyTooLargeException>(() => _tree.Delete(key));
        Assert.Throws<KeyTooLargeException>(() => cursor.Seek(key));
        Assert.Throws<KeyTooLargeException>(() => cursor.SeekBefore(key));
        Assert.Equal(1, _tree.Count);
    }

    [Fact]
    public void The_empty_key_is_a_key()
    {
        Assert.True(_tree.Put([], [7]));
        Assert.True(_tree.Put([0], [8]));
        Assert.True(_tree.TryGet([], out var value));
        Assert.Equal([7], value.ToArray());
        using var cursor = _tree.OpenCursor();
        Assert.False(cursor.SeekBefore([]));
        Assert.True(cursor.SeekBefore([0]));
        Assert.Equal(0, cursor.Key.Length);
    }

    [Theory]
    [InlineData(2032, 0)]
    [InlineData(2033, 1)]
    [InlineData(8128, 1)]
    [InlineData(8129, 2)]
    [InlineData(5_000_000, 611)]
    public void Large_values_lie_in_runs(int length, int pages)
    {
        var value = new byte[length];
        new Random(length).NextBytes(value);
        _tree.Put([1], value);
        Assert.Equal(pages, _tree.OverflowPages);
        Assert.True(_tree.TryGet([1], out var found));
        Assert.True(found.SequenceEqual(value));
        Check();
        _tree.Put([1], [1]);
        Assert.Equal(0, _tree.OverflowPages);
        Check();
    }

    [Theory]
    [InlineData(10)]
    [InlineData(1500)]
    [InlineData(20_000)]
    public void A_value_read_from_the_tree_can_be_put_to_it(int length)
    {
        var value = new byte[length];
        new Random(1).NextBytes(value);
        _tree.Put([5], value);
        for (byte i = 0; i < 20; i++)
        {
            _tree.TryGet([5], out var own);
            _tree.Put([i], own);
        }

        _tree.TryGet([5], out var first);
        _tree.Put([5], first.Slice(3));
        Assert.Equal(20, _tree.Count);
        for (byte i = 0; i < 20; i++)
        {
            Assert.True(_tree.TryGet([i], out var found));
            Assert.True(found.SequenceEqual(i == 5 ? value.AsSpan(3) : value), $"key {i}");
        }

        Check();
    }

    [Fact]
    public void A_write_makes_a_cursor_stale_until_it_seeks()
    {
        _tree.Put([1], [1]);
        using var cursor = _tree.OpenCursor();
        Assert.True(cursor.SeekFirst());
        _tree.Put([2], [2]);
        Assert.Contains(
            "'t' was written to",
            Assert.Throws<InvalidOperationException>(() => cursor.Key.Length).Message,
            StringComparison.Ordinal
        );
        Assert.Throws<InvalidOperationException>(() => cursor.MoveNext());
        Assert.True(cursor.Seek([2]));
        Assert.Equal([2], cursor.Value.ToArray());
    }

    [Fact]
    public void A_cursor_on_no_entry_says_so()
    {
        using var cursor = _tree.OpenCursor();
        Assert.False(cursor.SeekFirst());
        Assert.False(cursor.SeekLast());
        Assert.False(cursor.MoveNext());
        Assert.False(cursor.MovePrevious());
        Assert.False(cursor.IsPositioned);
        Assert.Throws<InvalidOperationException>(() => cursor.Key.Length);
        Assert.Throws<InvalidOperationException>(() => cursor.Value.Length);
        _tree.Put([1], []);
        Assert.True(cursor.SeekLast());
        Assert.False(cursor.MoveNext());
        Assert.False(cursor.IsPositioned);
    }

    [Fact]
    public void Nothing_can_be_used_after_the_transaction()
    {
        _tree.Put([1], [1]);
        var cursor = _tree.OpenCursor();
        cursor.SeekFirst();
        _catalog.Close();
        Assert.Throws<ObjectDisposedException>(() => _tree.TryGet([1], out _));
        Assert.Throws<ObjectDisposedException>(() => _tree.Put([1], []));
        Assert.Throws<ObjectDisposedException>(() => _tree.OpenCursor());
        Assert.Throws<ObjectDisposedException>(() => cursor.MoveNext());
        Assert.Throws<ObjectDisposedException>(() => cursor.Value.Length);
        Assert.Throws<ObjectDisposedException>(() => cursor.SeekFirst());
    }

    [Fact]
    public void A_reader_cannot_write()
    {
        _tree.Put([1], [1]);
        _catalog.Save();
        _store.Commit(_access);
        var reader = new TreeCatalog(_store.Read());
        var tree = reader.TryOpen("t")!;
        Assert.Contains(
            "'t' belongs to a read transaction",
            Assert.Throws<InvalidOperationException>(() => tree.Put([1], [])).Message,
            StringComparison.Ordinal
        );
        Assert.Throws<InvalidOperationException>(() => tree.Delete([1]));
        Assert.Throws<InvalidOperationException>(() => reader.OpenOrCreate("new"));
        Assert.Throws<InvalidOperationException>(() => reader.Drop("t"));
    }

    private TreeReport Check()
    {
        var report = TreeChecker.Check(_access, _tree);
        Assert.Empty(report.Problems);
        return report;
    }

    private static byte[] Number(long n)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, n);
        return key;
    }
}
