using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

/// <summary>
/// Flips bits of stored values or cuts the values short, past the page checksums. Reading and committing then end with
/// an answer or a typed error; they never end with another error or read beyond a buffer.
/// </summary>
public sealed class DamageTests
{
    private static readonly string[] Trees =
    [
        IndexTrees.State,
        IndexTrees.Fields,
        IndexTrees.Terms,
        IndexTrees.TermIds,
        IndexTrees.Postings,
        IndexTrees.Positions,
        IndexTrees.Columns,
        IndexTrees.Numbers,
        IndexTrees.Entries,
        IndexTrees.Documents,
        IndexTrees.Deleted,
    ];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Damage_is_a_typed_error_or_an_answer(int seed)
    {
        var random = new Random(seed);
        var entries = new RandomEntries(seed);
        var model = new IndexModel();
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using (var store = IndexStore.Open(environment))
        {
            for (var i = 0; i < 3; i++)
            {
                var batches = entries.Batches(store, model, 300, 3000);
                await store.CommitAsync(batches, i);
                batches.ForEach(b => b.Dispose());
            }
        }

        var found = 0;
        for (var round = 0; round < 120; round++)
        {
            var tree = Trees[random.Next(Trees.Length)];
            var (key, value) = Pick(environment, tree, random);
            await PutAsync(environment, tree, key, Damage(value, random));
            found += IsNoticed(environment, entries) ? 1 : 0;
            await PutAsync(environment, tree, key, value);
        }

        Assert.True(found > 15, $"only {found} of 120 damages were noticed");
        using (var store = IndexStore.Open(environment))
        {
            model.Progress = 2;
            IndexComparison.AssertEqual(model, store);
        }
    }

    private static bool IsNoticed(StorageEnvironment environment, RandomEntries entries)
    {
        try
        {
            using var store = IndexStore.Open(environment);
            using (var reader = store.OpenReader())
                ReadAll(reader);
            using var batch = store.NewBatch();
            for (var i = 0; i < 20; i++)
            {
                batch.Delete(Encoding.UTF8.GetBytes(entries.Document(3000)));
                entries.Entry("new").AddTo(batch, store);
            }

            using var commit = new IndexCommit(environment, [batch], 1, CancellationToken.None);
            commit.Prepare(store.Fields, 9);
            return false;
        }
        catch (Exception e)
            when (e
                    is IndexCorruptException
                        or IndexFullException
                        or Pipeline.Indexing.Analysis.UnknownAnalyzerException
                        or ArgumentException { ParamName: "options" }
            )
        {
            // A damaged option of a field looks like another definition of it.
            return true;
        }
    }

    private static void ReadAll(IndexReader reader)
    {
        var numbers = new List<int>();
        var values = new List<long>();
        var bits = new ulong[(reader.EntryCount / 64) + 1];

        // A damaged count may be in the billions.
        var end = Math.Min(reader.EntryCount, 3000);
        for (var all = reader.OpenAll(); all.Next() < end; )
        {
            if (reader.TryGetEntry(all.Current, out var id, out _))
                reader.GetEntries(id, numbers);
        }

        foreach (var field in reader.Fields)
        {
            var lengths = reader.OpenLengths(field);
            var terms = reader.OpenTerms(field);
            for (var on = terms.Seek(default); on; on = terms.MoveNext())
            {
                for (var list = terms.OpenPostings(); list.Next() != EntryIterator.End; )
                {
                    _ =
                        list.Frequency
                        + list.Positions().Length
                        + lengths[list.Current]
                        + list.BlockEnd(list.Current)
                        + list.BlockImpact.MinLength;
                }

                for (var list = terms.OpenPostings(); list.SkipTo(list.Current + 50) != EntryIterator.End; )
                    Assert.InRange(list.Current, 0, reader.EntryCount - 1);
                if (terms.Info.Id >= 0)
                    _ = reader.GetTerm(field, terms.Info.Id).Length;
            }

            foreach (var kind in Enum.GetValues<ColumnKind>())
            {
                if (reader.OpenColumn(field, kind) is not { } column)
                    continue;
                for (var entry = 0; entry < end; entry++)
                    column.GetValues(entry, values);
                values.Clear();
            }

            foreach (var index in new[] { reader.OpenNumbers(field), reader.OpenPoints(field) })
            {
                index?.SetBits(NumericKey.Min, NumericKey.Max, bits);
                index?.Count(NumericKey.From(3), NumericKey.From(400));
            }
        }
    }

    private static (byte[] Key, byte[] Value) Pick(StorageEnvironment environment, string name, Random random)
    {
        using var snapshot = environment.BeginRead();
        var tree = snapshot.OpenTree(name);
        using var cursor = tree.OpenCursor();
        cursor.SeekFirst();
        for (var steps = random.NextInt64(tree.Count); steps > 0; steps--)
            cursor.MoveNext();
        return (cursor.Key.ToArray(), cursor.Value.ToArray());
    }

    private static byte[] Damage(byte[] value, Random random)
    {
        if (value.Length == 0 || random.Next(4) == 0)
            return value[..random.Next(value.Length + 1)];
        var damaged = value.ToArray();
        for (var flips = random.Next(1, 4); flips > 0; flips--)
        {
            damaged[random.Next(random.Next(2) == 0 ? Math.Min(16, value.Length) : value.Length)] ^= (byte)(
                1 << random.Next(8)
            );
        }

        return damaged;
    }

    private static Task PutAsync(StorageEnvironment environment, string tree, byte[] key, byte[] value) =>
        environment.WriteAsync(transaction =>
        {
            transaction.CreateTree(tree).Put(key, value);
        });
}
