namespace Pipeline.Indexing.Tests;

/// <summary>Entries made from a seed: few words and numbers, so that lists grow, with occasional extremes.</summary>
internal sealed class RandomEntries(int seed)
{
    private static readonly double[] Doubles =
    [
        double.NaN,
        -0.0,
        0.0,
        double.MaxValue,
        double.MinValue,
        double.PositiveInfinity,
        double.NegativeInfinity,
        0.1,
        1e300,
        double.Epsilon,
    ];
    private static readonly long[] Longs =
    [
        long.MinValue,
        long.MaxValue,
        long.MaxValue - 1,
        0,
        1L << 53,
        (1L << 53) + 1,
        -1,
    ];
    private readonly Random _random = new(seed);

    public Random Random => _random;

    public string Document(int documents) => $"docs/{_random.Next(documents)}";

    public ModelEntry Entry(string document)
    {
        var values = new List<ModelValue>();
        for (var i = _random.Next(6); i > 0; i--)
            values.Add(Value());
        var stored = new byte[_random.Next(8)];
        _random.NextBytes(stored);
        return new ModelEntry(document, values, stored);
    }

    /// <summary>
    /// Changes of one commit, made to the model too: adds, updates, deletes, in one batch or several.
    /// </summary>
    public List<IndexBatch> Batches(IndexStore store, IndexModel model, int changes, int documents)
    {
        var batches = new List<IndexBatch>();
        for (var left = _random.Next(1, 4); left > 0; left--)
        {
            var batch = store.NewBatch();
            for (var i = _random.Next(changes); i > 0; i--)
                Change(store, model, batch, Document(documents));
            batches.Add(batch);
        }

        return batches;
    }

    private void Change(IndexStore store, IndexModel model, IndexBatch batch, string document)
    {
        var kind = _random.Next(10);
        if (kind < 5)
        {
            batch.Delete(System.Text.Encoding.UTF8.GetBytes(document));
            model.Delete(document);
        }

        for (
            var entries = kind switch
            {
                0 => 0,
                9 => 3,
                _ => 1,
            };
            entries > 0;
            entries--
        )
        {
            var entry = Entry(document);
            entry.AddTo(batch, store);
            model.Add(entry);
        }
    }

    private ModelValue Value()
    {
        var field = ModelFields.Names[_random.Next(ModelFields.Names.Length)];
        if (field is "Text" or "Plain")
        {
            return _random.Next(12) == 0
                ? new ModelValue(field) { IsNull = true }
                : new ModelValue(field) { Tokens = [.. Enumerable.Range(0, _random.Next(30)).Select(_ => Word())] };
        }

        return _random.Next(field == "Tag" ? 4 : 10) switch
        {
            < 3 => new ModelValue(field) { Term = _random.Next(5) == 0 ? "" : Word() },
            3 => new ModelValue(field) { IsNull = true },
            4 => new ModelValue(field) { Long = Longs[_random.Next(Longs.Length)] },
            5 => new ModelValue(field) { Double = Doubles[_random.Next(Doubles.Length)] },
            6 => new ModelValue(field) { Double = Math.Round(_random.NextDouble() * 100, 1) },
            7 => new ModelValue(field) { Point = (ulong)_random.NextInt64() << _random.Next(2) },
            _ => new ModelValue(field) { Long = _random.Next(1000) },
        };
    }

    /// <summary>Words as texts have them: a few very often, most seldom.</summary>
    private string Word()
    {
        var rank = (int)Math.Pow(2, _random.NextDouble() * 11);
        return rank % 7 == 0 ? $"wörter{rank}" : $"w{rank}";
    }
}
