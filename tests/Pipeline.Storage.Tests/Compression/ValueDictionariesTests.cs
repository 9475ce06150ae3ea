using System.Globalization;
using System.Text;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Compression;

public sealed class ValueDictionariesTests
{
    [Fact]
    public async Task AlikeValuesTakeAThirdAndComeBackAfterReopening()
    {
        using var folder = new TestFolder();
        long plain = 0,
            stored = 0;
        using (var store = Open(folder))
        {
            var dictionaries = new ValueDictionaries("dictionaries");
            for (var batch = 0; batch < 20; batch++)
            {
                var first = batch * 200;
                await store.WriteAsync(transaction =>
                {
                    var tree = transaction.CreateTree("values");
                    for (var i = first; i < first + 200; i++)
                    {
                        var form = dictionaries.Encode(transaction, 7, Value(i));
                        tree.Put(Key(i), form);
                        if (i >= 3000)
                            (plain, stored) = (plain + Value(i).Length, stored + form.Length);
                    }
                });
            }
        }

        Assert.True(stored < plain * 0.45, $"{plain} bytes are stored in {stored}");
        using var again = Open(folder);
        using var read = again.BeginRead();
        Assert.Equal(1, read.OpenTree("dictionaries").Count);
        var fresh = new ValueDictionaries("dictionaries");
        for (var i = 0; i < 4000; i++)
            Assert.Equal(Value(i), Decode(fresh, read, 7, read.OpenTree("values"), i));
    }

    [Fact]
    public async Task AnyBytesComeBack()
    {
        using var store = StorageEnvironment.Open(new StorageOptions());
        var dictionaries = new ValueDictionaries("dictionaries");
        var random = new Random(11);
        var values = Enumerable
            .Range(0, 600)
            .Select(i =>
            {
                var value = new byte[random.Next(4) == 0 ? random.Next(40) : random.Next(5_000)];
                random.NextBytes(value);
                if (i % 2 == 0)
                    Array.Fill(value, (byte)i, 0, value.Length / 2);
                return value;
            })
            .Append(new byte[3 << 20])
            .ToArray();
        await store.WriteAsync(transaction =>
        {
            for (var i = 0; i < values.Length; i++)
            {
                var form = dictionaries.Encode(transaction, (uint)(i % 3), values[i]);
                Assert.True(form.Length <= values[i].Length + 1);
                transaction.CreateTree("values").Put(Key(i), form);
            }
        });
        using var read = store.BeginRead();
        for (var i = 0; i < values.Length; i++)
            Assert.Equal(values[i], Decode(dictionaries, read, (uint)(i % 3), read.OpenTree("values"), i));
    }

    [Fact]
    public async Task ADictionaryThatWasRolledBackIsNotUsedAndItsNumberNotGivenAgain()
    {
        using var store = StorageEnvironment.Open(new StorageOptions());
        var dictionaries = new ValueDictionaries("dictionaries");
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            store.WriteAsync(transaction =>
            {
                Fill(transaction, dictionaries, 0, 4000);
                Assert.Equal(1, transaction.OpenTree("dictionaries").Count);
                throw new InvalidOperationException("refused");
            })
        );
        Assert.Equal("refused", refused.Message);
        await store.WriteAsync(transaction => Fill(transaction, dictionaries, 0, 10));
        using (var read = store.BeginRead())
        {
            Assert.False(read.TryOpenTree("dictionaries", out _));
            for (var i = 0; i < 10; i++)
            {
                Assert.Equal(
                    Value(i),
                    Decode(new ValueDictionaries("dictionaries"), read, 0, read.OpenTree("values"), i)
                );
            }
        }

        await store.WriteAsync(transaction => Fill(transaction, dictionaries, 10, 4000));
        using var after = store.BeginRead();
        using var cursor = after.OpenTree("dictionaries").OpenCursor();
        Assert.True(cursor.SeekFirst());
        Assert.Equal(3, cursor.Key[^1]);
        for (var i = 0; i < 4000; i += 97)
        {
            Assert.Equal(
                Value(i),
                Decode(new ValueDictionaries("dictionaries"), after, 0, after.OpenTree("values"), i)
            );
        }
    }

    [Fact]
    public async Task ValuesOfAnotherKindGetABetterDictionaryAndTheOldOnesKeepTheirs()
    {
        using var store = StorageEnvironment.Open(new StorageOptions());
        var dictionaries = new ValueDictionaries("dictionaries") { WindowBytes = 1 << 19 };
        await store.WriteAsync(transaction => Fill(transaction, dictionaries, 0, 10_000));
        var tail = 0L;
        await store.WriteAsync(transaction =>
        {
            for (var i = 10_000; i < 20_000; i++)
            {
                var form = dictionaries.Encode(transaction, 0, Other(i));
                transaction.OpenTree("values").Put(Key(i), form);
                tail += i < 19_000 ? 0 : form.Length;
            }
        });
        using var read = store.BeginRead();
        Assert.Equal(2, read.OpenTree("dictionaries").Count);
        Assert.True(tail < 1000 * Other(19_999).Length * 0.5, $"the last thousand take {tail} bytes");
        var fresh = new ValueDictionaries("dictionaries");
        for (var i = 0; i < 20_000; i += 33)
            Assert.Equal(i < 10_000 ? Value(i) : Other(i), Decode(fresh, read, 0, read.OpenTree("values"), i));
    }

    [Fact]
    public async Task DamageIsNamed()
    {
        using var store = StorageEnvironment.Open(new StorageOptions());
        var dictionaries = new ValueDictionaries("dictionaries");
        await store.WriteAsync(transaction => Fill(transaction, dictionaries, 0, 3000));
        await store.WriteAsync(transaction => transaction.DropTree("dictionaries"));
        using var read = store.BeginRead();
        var missing = Assert.Throws<CompressedValueCorruptException>(() =>
            Decode(new ValueDictionaries("dictionaries"), read, 0, read.OpenTree("values"), 2999)
        );
        Assert.Equal("tree 'dictionaries' has no dictionary 2 of group 0, which it refers to", missing.Reason);
        Assert.Throws<CompressedValueCorruptException>(() => ValueDictionaries.DecodedLength([]));
        Assert.Throws<CompressedValueCorruptException>(() =>
            ValueDictionaries.DecodedLength([1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        );
        Assert.Throws<CompressedValueCorruptException>(() =>
            dictionaries.Decode(read, 0, [1, 5, 1, 2, 3], new byte[5])
        );
        Assert.Throws<CompressedValueCorruptException>(() =>
            dictionaries.Decode(read, 0, [1, 6, 1, 2, 3], new byte[5])
        );
    }

    private static void Fill(WriteTransaction transaction, ValueDictionaries dictionaries, int from, int to)
    {
        var tree = transaction.CreateTree("values");
        for (var i = from; i < to; i++)
            tree.Put(Key(i), dictionaries.Encode(transaction, 0, Value(i)));
    }

    private static byte[] Decode(ValueDictionaries dictionaries, Transaction transaction, uint group, Tree tree, int i)
    {
        Assert.True(tree.TryGet(Key(i), out var stored));
        var value = new byte[ValueDictionaries.DecodedLength(stored)];
        dictionaries.Decode(transaction, group, stored, value);
        return value;
    }

    private static byte[] Key(int i) => [(byte)(i >> 24), (byte)(i >> 16), (byte)(i >> 8), (byte)i];

    private static byte[] Value(int i) =>
        Encoding.UTF8.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"Company":"{{Word(i)}} {{Word(i / 3)}}","Freight":{{i * 37 % 1000}}.{{i % 100:00}},"ShipTo":{"City":"{{Word(i / 7)}}","Country":"{{Word(i % 19)}}"},"Shipped":{{(i % 2 == 0 ? "true" : "false")}}}"""
            )
        );

    private static byte[] Other(int i) =>
        Encoding.UTF8.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $"<reading sensor='{i % 50:X4}' unit='kelvin' quality='{Word(i % 5)}'><raw>{i * 7919 % 100_000}</raw><calibrated>{i % 311}</calibrated></reading>"
            )
        );

    private static string Word(int i) =>
        ((uint)i * 2654435761u % 900).ToString("X3", CultureInfo.InvariantCulture) + "ville";

    private static StorageEnvironment Open(TestFolder folder) =>
        StorageEnvironment.Open(new StorageOptions { Path = folder.Path });
}
