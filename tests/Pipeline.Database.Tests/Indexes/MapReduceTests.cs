using System.Globalization;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>
/// Reduces follow the documents group by group, even if groups are far larger than the input of one reduce.
/// </summary>
public sealed class MapReduceTests
{
    private const string Map =
        "from o in docs.Orders from l in o.Lines select new { l.Product, Count = 1, Sum = l.Amount, Max = l.Amount }";
    private const string Reduce =
        "from r in results group r by r.Product into g select new { Product = g.Key, Count = g.Sum(x => x.Count), Sum = g.Sum(x => x.Sum), Max = g.Max(x => x.Max) }";

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 16)]
    [InlineData(3, 1024)]
    public async Task Results_are_those_of_a_plain_computation(int seed, int maxInputs)
    {
        var random = new Random(seed);
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MaxReduceInputs = maxInputs });
        await db.Indexes.PutAsync(IndexedDatabase.Definition("P", Map, Reduce));
        var model = new Dictionary<string, (string Product, int Amount)[]>();
        for (var round = 0; round < 12; round++)
        {
            var batch = new DocumentBatch();
            for (var i = 0; i < 40; i++)
            {
                var id = $"orders/{random.Next(150)}";
                if (random.Next(5) == 0)
                {
                    batch.Delete(id);
                    model.Remove(id);
                    continue;
                }

                // Most lines are of one product, so that its group is large and its parts are cut.
                var lines = Enumerable
                    .Range(0, random.Next(0, 6))
                    .Select(_ =>
                        (Product: random.Next(4) == 0 ? $"p{random.Next(6)}" : "hot", Amount: random.Next(1000))
                    )
                    .ToArray();
                model[id] = lines;
                var json = string.Join(
                    ",",
                    lines.Select(l => $"{{\"Product\":\"{l.Product}\",\"Amount\":{l.Amount}}}")
                );
                batch.Put(
                    id,
                    System.Text.Encoding.UTF8.GetBytes(
                        $"{{\"@metadata\":{{\"@collection\":\"Orders\"}},\"Lines\":[{json}]}}"
                    )
                );
            }

            if (round == 9)
            {
                foreach (var id in model.Keys.Where(_ => random.Next(10) > 0).ToList())
                {
                    batch.Delete(id);
                    model.Remove(id);
                }
            }

            await db.ExecuteAsync(batch);
            await db.SettleAsync("P");
            var expected = model
                .Values.SelectMany(l => l)
                .GroupBy(l => l.Product)
                .Select(g =>
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $$"""{"Product":"{{g.Key}}","Count":{{g.Count()}},"Sum":{{g.Sum(l => l.Amount)}},"Max":{{g.Max(l => l.Amount)}}}"""
                    )
                );
            Assert.Equal(expected.Order(StringComparer.Ordinal), db.Rows("P"));
        }
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1024)]
    public async Task Aggregates_of_groups_are_those_of_a_plain_computation(int seed, int maxInputs)
    {
        var random = new Random(seed);
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MaxReduceInputs = maxInputs });
        var model = new Dictionary<string, (string Group, object? Value)>();
        var query = new QueryRequest(
            "from Orders group by G order by G select G, count() as C, sum(V) as S, min(V) as Min, max(V) as Max, avg(V) as Avg limit 100"
        )
        {
            Wait = new IndexWait(TimeSpan.FromMinutes(1)),
        };
        for (var round = 0; round < 10; round++)
        {
            var batch = new DocumentBatch();
            for (var i = 0; i < 30; i++)
            {
                var id = $"orders/{random.Next(100)}";
                if (random.Next(3) == 0)
                {
                    batch.Delete(id);
                    model.Remove(id);
                    continue;
                }

                object? value = random.Next(8) switch
                {
                    0 => null,
                    1 => $"t{random.Next(9)}",
                    2 => new DateTime(2020, 1, 1 + random.Next(9)).ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
                    _ => random.Next(-500, 500) / 4m,
                };
                // One group has no numbers but a few, another none.
                var group = random.Next(3) == 0 ? "few" : "hot";
                if (random.Next(6) == 0)
                    (group, value) = ("none", value is decimal ? "x" : value);
                model[id] = (group, value);
                batch.Put(
                    id,
                    System.Text.Encoding.UTF8.GetBytes(
                        $"{{\"@metadata\":{{\"@collection\":\"Orders\"}},\"G\":\"{group}\",\"V\":{System.Text.Json.JsonSerializer.Serialize(value)}}}"
                    )
                );
            }

            await db.ExecuteAsync(batch);
            var result = await db.QueryAsync(query);
            Assert.Equal(
                model.Values.GroupBy(v => v.Group).OrderBy(g => g.Key, StringComparer.Ordinal).Select(Row),
                result.Items.Select(i => i.ToString())
            );
        }

        static string Row(IGrouping<string, (string Group, object? Value)> group)
        {
            List<decimal> numbers = [.. group.Select(v => v.Value).OfType<decimal>()];
            List<string> texts = [.. group.Select(v => v.Value).OfType<string>()];
            if (texts.Exists(t => t[0] == '2'))
                texts.RemoveAll(t => t[0] != '2');
            texts.Sort(StringComparer.Ordinal);
            object? min = numbers.Count > 0 ? numbers.Min() : texts.FirstOrDefault(),
                max = numbers.Count > 0 ? numbers.Max() : texts.LastOrDefault();
            var average = numbers.Count == 0 ? "null" : Text(numbers.Sum() / numbers.Count);
            return $$"""{"G":"{{group.Key}}","C":{{group.Count()}},"S":{{Text(numbers.Sum())}},"Min":{{Text(min)}},"Max":{{Text(max)}},"Avg":{{average}}}""";
        }

        static string Text(object? value) =>
            value is decimal number
                ? (number / 1.0000000000000000000000000000m).ToString(CultureInfo.InvariantCulture)
                : System.Text.Json.JsonSerializer.Serialize(value);
    }

    [Fact]
    public async Task A_change_reduces_only_the_groups_that_it_is_in()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(IndexedDatabase.Definition("P", Map, Reduce));
        for (var i = 0; i < 20; i++)
            await db.PutAsync($"orders/{i}", "Orders", $$"""{"Lines":[{"Product":"p{{i % 5}}","Amount":1}]}""");
        await db.SettleAsync("P");
        var before = db.Indexes.GetBatches("P").Sum(b => b.Groups);
        await db.PutAsync("orders/3", "Orders", """{"Lines":[{"Product":"p3","Amount":5}]}""");
        await db.SettleAsync("P");
        Assert.Equal(before + 1, db.Indexes.GetBatches("P").Sum(b => b.Groups));
        await db.PutAsync("orders/3", "Orders", """{"Lines":[{"Product":"p4","Amount":5}]}""");
        await db.SettleAsync("P");
        Assert.Equal(before + 3, db.Indexes.GetBatches("P").Sum(b => b.Groups));

        // The same outputs touch nothing.
        await db.PutAsync("orders/3", "Orders", """{"Note":1,"Lines":[{"Product":"p4","Amount":5}]}""");
        await db.SettleAsync("P");
        Assert.Equal(before + 3, db.Indexes.GetBatches("P").Sum(b => b.Groups));
    }

    [Fact]
    public async Task A_group_that_fails_is_told_and_comes_back()
    {
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MaxReduceInputs = 2 });
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition(
                "R",
                "from u in docs.Users select new { u.City, u.N }",
                "from r in results group r by r.City into g select new { City = g.Key, N = g.Sum(x => x.N * 1) }"
            )
        );
        for (var i = 0; i < 9; i++)
            await db.PutAsync($"users/{i}", "Users", """{"City":"a","N":1}""");
        await db.PutAsync("users/b", "Users", """{"City":"b","N":1}""");
        await db.SettleAsync("R");
        await db.PutAsync("users/5", "Users", """{"City":"a","N":"x"}""");
        await db.SettleAsync("R");
        Assert.Equal(["""{"City":"b","N":1}"""], db.Rows("R"));
        var error = db.Indexes.GetErrors("R")[0];
        Assert.Equal((null, "reduce"), (error.DocumentId, error.Source));
        await db.PutAsync("users/5", "Users", """{"City":"a","N":10}""");
        await db.SettleAsync("R");
        Assert.Equal(["""{"City":"a","N":18}""", """{"City":"b","N":1}"""], db.Rows("R"));
    }
}
