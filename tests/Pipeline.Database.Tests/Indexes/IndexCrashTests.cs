using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Demands;
using Pipeline.Documents;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>
/// Random documents, updates and deletions, with a crash anywhere: the reopened index becomes equal to a rebuilt one.
/// </summary>
public sealed class IndexCrashTests
{
    private static readonly IndexingOptions Options = new() { MaxReduceInputs = 4, MaxThrottle = TimeSpan.Zero };

    private static readonly IndexDefinition[] Definitions =
    [
        IndexedDatabase.Definition(
            "Loaded",
            "from o in docs.Orders let c = LoadDocument(o.Company, \"Companies\") from l in o.Lines select new { c.Name, l.Product, l.Amount }"
        ),
        IndexedDatabase.Definition(
            "Reduced",
            "from o in docs.Orders from l in o.Lines select new { l.Product, Count = 1, Sum = l.Amount }",
            "from r in results group r by r.Product into g select new { Product = g.Key, Count = g.Sum(x => x.Count), Sum = g.Sum(x => x.Sum) }"
        ),
        IndexedDatabase.Definition("All", "from d in docs select new { C = MetadataFor(d)[\"@collection\"], d.Name }"),
        Automatic(
            "Automatic",
            new AutoIndexDefinition(
                "Orders",
                [
                    new("Company"),
                    new("Lines[].Product", AutoFieldUsage.Compare | AutoFieldUsage.Exact | AutoFieldUsage.Search),
                ]
            )
        ),
        Automatic(
            "Grouped",
            new AutoIndexDefinition("Orders", [])
            {
                GroupBy = [new GroupKeyDemand("Lines[].Product", false), new GroupKeyDemand("Company", false)],
                Aggregates =
                [
                    new AggregateDemand("count()", null),
                    new AggregateDemand("sum(Lines[].Amount)", "Lines[].Amount"),
                ],
            }
        ),
    ];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task What_opens_after_a_crash_becomes_what_a_rebuild_gives(int seed)
    {
        var random = new Random(seed);
        using var disk = new SimulatedDisk();
        await using (var db = Open(disk))
        {
            foreach (var definition in Definitions)
                await db.Indexes.PutAsync(definition);
            for (var round = 0; round < 10; round++)
            {
                await WriteAsync(db, random);
                if (random.Next(2) == 0)
                    await SettleAsync(db);
                if (round == 5)
                    await db.Indexes.PutAsync(Definitions[0] with { Maps = [Definitions[0].Maps[0] + " "] });
            }

            await SettleAsync(db);
            await CheckAsync(db, $"seed {seed}, without a crash");
        }

        await CrashPoints.CheckAsync(
            disk,
            random,
            8,
            async (crashed, point) =>
            {
                await using var db = Open(crashed);
                await SettleAsync(db);
                await CheckAsync(db, $"seed {seed}, crash after event {point}");
                await WriteAsync(db, random);
                await SettleAsync(db);
                await CheckAsync(db, $"seed {seed}, crash after event {point}, written on");
            }
        );
    }

    private static IndexDefinition Automatic(string name, AutoIndexDefinition automatic) =>
        IndexedDatabase.Definition(name, "") with
        {
            Maps = [],
            Auto = automatic,
        };

    private static DocumentDatabase Open(SimulatedDisk disk) => IndexedDatabase.Open("/db", Options, files: disk);

    private static async Task SettleAsync(DocumentDatabase db)
    {
        foreach (var index in db.Indexes.List())
            await db.SettleAsync(index.Name);
    }

    private static async Task CheckAsync(DocumentDatabase db, string what)
    {
        // The crash may have been within a check.
        await db.Indexes.DeleteAsync("Rebuilt");
        foreach (var index in db.Indexes.List())
        {
            Assert.True(index.State == IndexState.Normal && index.Errors == 0, $"{what}: {index.Name} {index.Failure}");
            await db.Indexes.PutAsync(index.Definition with { Name = "Rebuilt" });
            await db.SettleAsync("Rebuilt");
            var rebuilt = db.Rows("Rebuilt");
            var kept = db.Rows(index.Name);
            Assert.True(
                rebuilt.SequenceEqual(kept),
                $"{what}: {index.Name} has\n{string.Join('\n', kept)}\ninstead of\n{string.Join('\n', rebuilt)}"
            );
            await db.Indexes.DeleteAsync("Rebuilt");
        }
    }

    private static async Task WriteAsync(DocumentDatabase db, Random random)
    {
        var batch = new DocumentBatch();
        for (var i = 0; i < 15; i++)
        {
            var n = random.Next(30);
            var company = $"companies/{random.Next(6)}";
            switch (random.Next(6))
            {
                case 0:
                    batch.Delete($"orders/{n}");
                    break;
                case 1:
                    // Sometimes it is no company any more.
                    Put(
                        batch,
                        company,
                        random.Next(4) == 0 ? "Former" : "Companies",
                        $$"""{"Name":"name {{random.Next(100)}}"}"""
                    );
                    break;
                case 2 when random.Next(3) == 0:
                    batch.Delete(company);
                    break;
                case 3 when random.Next(3) == 0:
                    Put(batch, $"orders/{n}", "Archive", "{\"Name\":\"archived\"}");
                    break;
                default:
                    var lines = string.Join(
                        ",",
                        Enumerable
                            .Range(0, random.Next(4))
                            .Select(_ =>
                                $$"""{"Product":"{{(random.Next(3) == 0 ? random.Next(4) : 0)}}","Amount":{{random.Next(50)}}}"""
                            )
                    );
                    Put(batch, $"orders/{n}", "Orders", $$"""{"Company":"{{company}}","Lines":[{{lines}}]}""");
                    break;
            }
        }

        await db.ExecuteAsync(batch);
    }

    private static void Put(DocumentBatch batch, string id, string collection, string json) =>
        batch.Put(id, Encoding.UTF8.GetBytes($"{{\"@metadata\":{{\"@collection\":\"{collection}\"}},{json[1..]}"));
}
