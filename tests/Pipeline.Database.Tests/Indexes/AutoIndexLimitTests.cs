using System.Diagnostics;
using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Storage;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>
/// Queries make automatic indexes, so readers do: never for a name alone, and never more than the limits say.
/// </summary>
public sealed class AutoIndexLimitTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData("from Nothing where Name = 'a'")]
    [InlineData("from Nothing where Name = 'a' order by Age include Company")]
    [InlineData("from Nothing group by Company select key(), count()")]
    [InlineData("from Nothing where search(Name, 'a') select suggest(Name, 'b')")]
    [InlineData("from Nothing select facet(Name)")]
    public async Task A_collection_that_never_was_gives_nothing_and_makes_no_index(string query)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions());
        for (var i = 0; i < 3; i++)
        {
            var result = await database.QueryAsync(query);
            Assert.Empty(result.Items);
            Assert.False(result.IsStale);
            Assert.True(
                (await database.QueryAsync(new QueryRequest(query) { IfNoneMatch = result.ETag })).IsNotModified
            );
        }

        await foreach (
            var item in database.StreamQueryAsync(
                new QueryRequest(
                    query.StartsWith("from Nothing where Name", StringComparison.Ordinal)
                        ? "from Nothing where Name = 'a'"
                        : "from Nothing where Age = 1"
                )
            )
        )
        {
            Assert.Null(item.Id);
        }

        Assert.Empty(database.Indexes.List());

        // The first document makes it a collection.
        await database.PutAsync(
            "n/1",
            """{"Name":"a","Age":1,"Company":"c/1","@metadata":{"@collection":"Nothing"}}"""u8.ToArray()
        );
        Assert.Single((await database.QueryAsync("from Nothing where Name = 'a'")).Items);
        Assert.NotEmpty(database.Indexes.List());
    }

    [Fact]
    public async Task One_more_than_a_database_may_have_is_refused_by_the_limits_name()
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Indexing = new IndexingOptions { MaxAutoIndexes = 2, MaxAutoIndexFields = 3 },
            }
        );
        await PutAsync(database, 3);
        await database.QueryAsync("from C0 where A = 1");
        await database.QueryAsync("from C1 where A = 1");
        var e = await Assert.ThrowsAsync<AutoIndexLimitException>(async () =>
            await database.QueryAsync("from C2 where A = 1")
        );
        Assert.Equal(
            "The query needs a new automatic index 'Auto/C2/ByA', and the database 'shop' has indexing.maxAutoIndexes = 2 of them (MaxAutoIndexes). Query an existing index, delete an unused one, or raise the limit.",
            e.Message
        );
        Assert.Single((await database.QueryAsync("from C1 where A = 1")).Items);
        await database.Indexes.DeleteAsync("Auto/C0/ByA");
        Assert.Single((await database.QueryAsync("from C2 where A = 1")).Items);
    }

    [Fact]
    public async Task An_index_grows_to_its_limit_of_fields()
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions { Indexing = new IndexingOptions { MaxAutoIndexFields = 3 } }
        );
        await PutAsync(database, 1);
        foreach (var field in (string[])["A", "B", "C"])
            await database.QueryAsync($"from C0 where {field} = 1");
        var e = await Assert.ThrowsAsync<AutoIndexLimitException>(async () =>
            await database.QueryAsync("from C0 where D = 1")
        );
        Assert.Contains("4 fields, more than indexing.maxAutoIndexFields = 3", e.Message, StringComparison.Ordinal);
        Assert.Single((await database.QueryAsync("from C0 where A = 1")).Items);
    }

    [Fact]
    public async Task Databases_share_a_budget_and_a_closed_one_gives_its_part_back()
    {
        var indexing = new IndexingOptions { AutoIndexBudget = new AutoIndexBudget(2) };
        await using var one = DocumentDatabase.Open(new DatabaseOptions { Name = "one", Indexing = indexing });
        var two = DocumentDatabase.Open(new DatabaseOptions { Name = "two", Indexing = indexing });
        await PutAsync(one, 2);
        await PutAsync(two, 1);
        await one.QueryAsync("from C0 where A = 1");
        await two.QueryAsync("from C0 where A = 1");
        var e = await Assert.ThrowsAsync<AutoIndexLimitException>(async () =>
            await one.QueryAsync("from C1 where A = 1")
        );
        Assert.Contains("indexing.maxAutoIndexesInAll = 2", e.Message, StringComparison.Ordinal);
        await two.DisposeAsync();
        Assert.Single((await one.QueryAsync("from C1 where A = 1")).Items);
    }

    /// <summary>
    /// 150 databases with an index each would have taken 300 TiB of the 128 that a process has.
    /// <c>PIPELINE_DATABASES=1000</c> opens so many.
    /// </summary>
    [Fact]
    public async Task Many_databases_with_an_index_each_are_open_at_once()
    {
        var count = RunSetting.Read("PIPELINE_DATABASES", 150);
        var folder = Directory.CreateTempSubdirectory("pipeline-many-").FullName;
        var databases = new List<DocumentDatabase>();
        try
        {
            long started = Stopwatch.GetTimestamp(),
                before = Environment.WorkingSet;
            for (var i = 0; i < count; i++)
            {
                var database = DocumentDatabase.Open(
                    new DatabaseOptions
                    {
                        Name = $"d{i}",
                        Path = Path.Combine(folder, $"d{i}"),
                        Storage = new StorageOptions
                        {
                            InitialJournalFileBytes = 64 << 10,
                            InitialDataFileBytes = 64 << 10,
                        },
                    }
                );
                databases.Add(database);
                await PutAsync(database, 1);
                Assert.Single((await database.QueryAsync("from C0 where A = 1")).Items);
            }

            Assert.Single((await databases[0].QueryAsync("from C0 where A = 1")).Items);
            output.WriteLine(
                $"{count} databases with an index each: {Stopwatch.GetElapsedTime(started).TotalSeconds:0.0} s, {(Environment.WorkingSet - before) >> 20} MiB, {Process.GetCurrentProcess().Threads.Count} threads"
            );
        }
        finally
        {
            foreach (var database in databases)
                await database.DisposeAsync();
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task PutAsync(DocumentDatabase database, int collections)
    {
        for (var i = 0; i < collections; i++)
        {
            await database.PutAsync(
                $"c/{i}",
                Encoding.UTF8.GetBytes($$$"""{"A":1,"B":1,"C":1,"D":1,"@metadata":{"@collection":"C{{{i}}}"}}""")
            );
        }
    }
}
