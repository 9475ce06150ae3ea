using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>ETags change when the sources of the results change, and at no other time.</summary>
public sealed class ResultETagTests
{
    private static readonly IndexWait Wait = new(TimeSpan.FromSeconds(60));

    [Theory]
    [InlineData("from Orders", false)]
    [InlineData("from Orders where Company = 'companies/1'", false)]
    [InlineData("from index 'Own' where Name = 'a'", true)]
    [InlineData("from Orders group by Company select key() as Company, sum(Total) as Sum", false)]
    [InlineData("from Orders include Company", true)]
    [InlineData("from Orders as o where o.Total > 0 load o.Company as c select c.Name", true)]
    [InlineData("from Orders as o where o.Total > 0 select load(o.Company).Name", true)]
    [InlineData("from @all_docs where Name = 'a'", true)]
    public async Task A_write_elsewhere_changes_nothing(string query, bool readsCompanies)
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Own",
                Maps = ["from o in docs.Orders select new { Name = LoadDocument(o.Company, \"Companies\").Name }"],
            }
        );
        await db.PutAsync("companies/1", "Companies", """{"Name":"a"}""");
        await db.PutAsync("orders/1", "Orders", """{"Company":"companies/1","Total":1}""");
        await db.PutAsync("orders/2", "Orders", """{"Company":"companies/1","Total":2}""");
        var first = await db.QueryAsync(new QueryRequest(query) { Wait = Wait });
        Assert.NotEmpty(first.Items);
        Assert.True(await IsSameAsync());
        if (
            !query.Contains("@all_docs", StringComparison.Ordinal)
            && !query.Contains("load", StringComparison.Ordinal)
            && !query.Contains("include", StringComparison.Ordinal)
        )
        {
            await db.PutAsync("people/1", "People", """{"Name":"b"}""");
            Assert.True(await IsSameAsync());
        }

        await db.PutAsync("companies/1", "Companies", """{"Name":"a","Note":1}""");
        Assert.Equal(!readsCompanies, await IsSameAsync());
        first = await db.QueryAsync(new QueryRequest(query) { Wait = Wait });
        await db.PutAsync("orders/1", "Orders", """{"Company":"companies/1","Total":1}""");
        Assert.False(await IsSameAsync());
        first = await db.QueryAsync(new QueryRequest(query) { Wait = Wait });
        await db.DeleteAsync("orders/2");
        Assert.False(await IsSameAsync() && !query.Contains("@all_docs", StringComparison.Ordinal));
        first = await db.QueryAsync(new QueryRequest(query) { Wait = Wait });

        // A document that leaves its collection and one that comes.
        await db.PutAsync("orders/1", "Old", """{"Company":"companies/1","Total":1}""");
        await db.PutAsync("orders/3", "Orders", """{"Company":"companies/1","Total":1}""");
        Assert.False(await IsSameAsync());

        async Task<bool> IsSameAsync()
        {
            var again = await db.QueryAsync(new QueryRequest(query) { Wait = Wait, IfNoneMatch = first.ETag });
            Assert.Equal(again.IsNotModified, again.Items.Count == 0);
            return again.IsNotModified;
        }
    }

    [Fact]
    public async Task Equal_ETags_stand_for_equal_results()
    {
        var random = new Random(7);
        await using var db = IndexedDatabase.Open();
        string[] queries =
        [
            "from A",
            "from A where X = 1",
            "from A where X > 0 order by X desc select X",
            "from A group by X select X, count() as N",
        ];
        var seen = new Dictionary<(string, long), string>();
        for (var step = 0; step < 400; step++)
        {
            var id = $"d/{random.Next(6)}";
            switch (random.Next(4))
            {
                case 0:
                    await db.DeleteAsync(id);
                    break;
                case 1:
                    await db.PutAsync(id, "B", $$"""{"X":{{random.Next(3)}}}""");
                    break;
                default:
                    await db.PutAsync(id, "A", $$"""{"X":{{random.Next(3)}}}""");
                    break;
            }

            // Also while the index is behind, and after it was made anew.
            if (random.Next(60) == 0 && db.Indexes.List() is [var one, ..])
                await db.Indexes.ResetAsync(one.Name);
            var query = queries[random.Next(queries.Length)];
            var result = await db.QueryAsync(new QueryRequest(query) { Wait = random.Next(2) == 0 ? Wait : null });
            var results = string.Join(
                ' ',
                result.Items.Select(i => i.Document is { } d ? $"{d.Id}@{d.Position}" : i.ToString())
            );
            Assert.True(
                seen.TryAdd((query, result.ETag), results) || seen[(query, result.ETag)] == results,
                $"{step}: {query}\n{seen[(query, result.ETag)]}\n{results}"
            );
        }

        Assert.InRange(seen.Count, 100, 390);
    }
}
