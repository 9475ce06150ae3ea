using System.Buffers.Binary;
using Xunit;

namespace Pipeline.Storage.Tests.Trees;

/// <summary>
/// Keys of eight bytes that count up, as positions do; batches of sorted keys; values replaced in their place.
/// </summary>
public sealed unsafe class FixedKeyTests : IDisposable
{
    private readonly MemoryPages _store = new() { Verify = false };
    private readonly MemoryAccess _access;
    private readonly Tree _tree;

    public FixedKeyTests()
    {
        _access = _store.Write();
        _tree = new TreeCatalog(_access).OpenOrCreate("t");
    }

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(0xFFFFF000)]
    [InlineData(0x7FFFFFFF_FFF00000)]
    public void Counting_keys_take_no_bytes_beside_their_slots(long first)
    {
        const int count = 100_000;
        for (var i = 0; i < count; i++)
            Assert.True(_tree.Put(Number(first + i), []));
        Assert.Empty(TreeChecker.Check(_access, _tree).Problems);
        var (keys, bytes) = KeyBytesBesideSlots(_tree.State.Root);
        Assert.Equal(count, keys);

        // Only three pages have keys with rests: the last leaf, which is not full,
        // and the leaf and the branch in which the upper half of the number changes.
        Assert.True(bytes <= 3 * 4 * 820, $"{bytes} bytes of keys are outside the slots");
        Assert.True(_tree.LeafPages * 8192.0 / count < 10.3, $"{_tree.LeafPages} leaves");
        for (var i = 0; i < count; i += 17)
            Assert.True(_tree.Contains(Number(first + i)));
        Assert.False(_tree.Contains(Number(first + count)));
        Assert.False(_tree.Contains(Number(first).AsSpan(0, 7)));
    }

    [Fact]
    public void A_batch_that_is_not_sorted_is_refused_and_changes_nothing()
    {
        _tree.Put([2], [0]);
        var error = Assert.Throws<ArgumentException>(() =>
            _tree.PutSorted([Entry([1], [1]), Entry([3], [1]), Entry([3], [2])])
        );
        Assert.Contains("Key 2 of 3 is not greater than the one before", error.Message, StringComparison.Ordinal);
        Assert.Throws<KeyTooLargeException>(() => _tree.PutSorted([Entry([1], [1]), Entry(new byte[1025], [1])]));
        Assert.Equal(1, _tree.Count);
        Assert.Equal(0, _tree.PutSorted([]));
        Assert.Equal(2, _tree.PutSorted([Entry([1], [1]), Entry([2], [1, 2]), Entry([3], [])]));
        Assert.True(_tree.TryGet([2], out var value) && value.SequenceEqual((ReadOnlySpan<byte>)[1, 2]));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(1900)]
    public void Sorted_batches_fill_pages_as_single_puts_do(int valueLength)
    {
        var value = new byte[valueLength];
        for (var i = 0; i < 20_000; i += 1000)
            Assert.Equal(1000, _tree.PutSorted([.. Enumerable.Range(i, 1000).Select(n => Entry(Number(n), value))]));
        var report = TreeChecker.Check(_access, _tree);
        Assert.Empty(report.Problems);
        Assert.True(report.LeafFill > 0.9, $"leaf fill {report.LeafFill}");
        Assert.Equal(0, _tree.PutSorted([.. Enumerable.Range(0, 20_000).Select(n => Entry(Number(n), value))]));
        Assert.Equal(20_000, _tree.Count);
    }

    [Fact]
    public void A_value_that_fits_replaces_the_old_one_in_its_place()
    {
        for (var i = 0; i < 20; i++)
            _tree.Put(Number(i), new byte[100]);
        var page = new TreePage(_access.GetPage(_tree.State.Root));
        var used = page.Used;
        Assert.True(_tree.TryGet(Number(7), out var value));
        fixed (byte* at = value)
        {
            for (byte i = 0; i < 200; i++)
            {
                _tree.Put(Number(7), Enumerable.Repeat(i, 100).ToArray());
                Assert.True(_tree.TryGet(Number(7), out var now) && now[99] == i);
                fixed (byte* same = now)
                    Assert.True(same == at, $"round {i}: the value moved");
            }
        }

        Assert.Equal((used, 0), (page.Used, page.Dead));
        Assert.Equal(page.Pointer - (byte*)null, _access.GetPage(_tree.State.Root) - (byte*)null);
    }

    private (long Keys, long Bytes) KeyBytesBesideSlots(long number)
    {
        var page = new TreePage(_access.GetPage(number));
        var (keys, bytes) = (0L, 0L);
        for (var i = 0; i < page.Count; i++)
        {
            if (page.Type == PageType.Branch)
            {
                var below = KeyBytesBesideSlots(page.Child(i));
                (keys, bytes) = (keys + below.Keys, bytes + below.Bytes);
            }

            keys += page.IsLeaf ? 1 : 0;
            bytes += page.IsLeaf || i > 0 ? Math.Max(0, page.KeyLength(i) - page.PrefixLength - 4) : 0;
        }

        return (keys, bytes);
    }

    private static KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>> Entry(byte[] key, byte[] value) =>
        new(key, value);

    private static byte[] Number(long n)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, n);
        return key;
    }
}
