using System.Text;
using Pipeline.Documents;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Lineage;

/// <summary>Ids that were given after a backup are not given again after its restore.</summary>
public sealed class GivenNumberTests
{
    private const string HiLo = """{"Max":64,"Note":1.50,"@metadata":{"@collection":"@hilo"} }""";

    [Theory]
    [InlineData("restored")]
    [InlineData("put back")]
    [InlineData("found by a task")]
    public async Task Numbers_go_on_behind_a_margin(string how)
    {
        using var folder = new TestFolder();
        string data = Path.Combine(folder.Path, "data"),
            copy = Path.Combine(folder.Path, "copy");
        await using (var db = Open(data))
        {
            await db.PutAsync("Raven/Hilo/orders", Encoding.UTF8.GetBytes(HiLo));
            Assert.Equal(1, await db.WriteAsync(t => t.NextIdentity("Invoices")));
            await db.PutAsync("orders/", "{}"u8.ToArray());
        }

        TestFolder.Copy(data, copy);
        var given = new List<string>();
        await using (var db = Open(data))
            given.AddRange(await GiveAsync(db));
        long high = 64 + (32 * 5);
        if (how != "found by a task")
            TestFolder.Copy(copy, data);
        await using (var db = Open(how == "restored" ? copy : data))
        {
            if (how == "found by a task")
                await db.BeginLineageAsync(db.Lineages, db.LastPosition, "the target is ahead");
            Assert.False(db.Lineages.IsInitial);
            var again = await GiveAsync(db);
            Assert.Empty(given.Intersect(again));
            using var snapshot = db.OpenSnapshot();
            Assert.True(snapshot.TryGet("Raven/Hilo/orders", out var document));
            Assert.True(
                document.Body.Root.TryGetProperty("Max"u8, out var max)
                    && max.TryGetInt64(out var value)
                    && value > high,
                document.ToString()
            );
            Assert.Contains("\"Note\":1.50", document.ToString(), StringComparison.Ordinal);
            Assert.Equal("@hilo", document.Collection);
        }

        // Opened again, it is the same lineage: the numbers go on where they were.
        await using (var db = Open(how == "restored" ? copy : data))
            Assert.True(await db.WriteAsync(t => t.NextIdentity("Invoices")) is > 1 << 20 and < 2 << 20);
    }

    [Fact]
    public async Task A_database_that_is_opened_again_leaves_its_numbers_alone()
    {
        using var folder = new TestFolder();
        for (var i = 1; i < 4; i++)
        {
            await using var db = Open(folder.Path);
            Assert.Equal(i, await db.WriteAsync(t => t.NextIdentity("Invoices")));
            Assert.Equal($"orders/{i:D19}-A", (await db.PutAsync("orders/", "{}"u8.ToArray())).Id);
        }
    }

    private static DocumentDatabase Open(string path) =>
        DocumentDatabase.Open(new DatabaseOptions { Path = path, Name = "shop" });

    private static async Task<string[]> GiveAsync(DocumentDatabase db)
    {
        var ids = new List<string>();
        for (var i = 0; i < 5; i++)
        {
            ids.Add($"Invoices/{await db.WriteAsync(t => t.NextIdentity("Invoices"))}");
            ids.Add((await db.PutAsync("orders/", "{}"u8.ToArray())).Id);
        }

        return [.. ids];
    }
}
