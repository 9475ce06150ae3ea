using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>Indexes follow the documents: changes, deletions, errors, loaded documents, definitions, states.</summary>
public sealed class IndexUpkeepTests
{
    private const string ByCity = "from u in docs.Users select new { u.Name, u.City }";

    [Fact]
    public async Task Entries_follow_the_documents()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync("users/1", "Users", """{"Name":"Ada","City":"London"}""");
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Users/ByCity", ByCity));
        await db.PutAsync("Users/2", "Users", """{"Name":"Bob"}""");
        await db.PutAsync("orders/1", "Orders", """{"Name":"none"}""");
        await db.SettleAsync("users/bycity");
        Assert.Equal(
            ["""users/1 {"Name":"Ada","City":"London"}""", """users/2 {"Name":"Bob","City":null}"""],
            db.Rows("Users/ByCity")
        );

        await db.PutAsync("users/1", "Users", """{"Name":"Ada","City":"Paris"}""");
        await db.PutAsync("users/2", "Gone", """{"Name":"Bob"}""");
        await db.SettleAsync("Users/ByCity");
        Assert.Equal(["""users/1 {"Name":"Ada","City":"Paris"}"""], db.Rows("Users/ByCity"));

        await db.DeleteAsync("users/1");
        await db.SettleAsync("Users/ByCity");
        Assert.Empty(db.Rows("Users/ByCity"));
        var info = db.Indexes.Get("Users/ByCity")!;
        Assert.Equal(
            (IndexState.Normal, 0, db.LastPosition, false),
            (info.State, info.Entries, info.Position, info.IsStale)
        );
        IndexBatchStatistics[] batches = [.. db.Indexes.GetBatches("Users/ByCity")];
        Assert.Equal((3, 2), (batches.Sum(b => b.Documents), batches.Sum(b => b.Deletes)));
        Assert.All(batches, b => Assert.True(b.CommitTime > TimeSpan.Zero && b.Through > 0));
    }

    [Fact]
    public async Task All_documents_are_followed_where_no_collection_is_named()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition("All", "from d in docs select new { C = MetadataFor(d)[\"@collection\"] }")
        );
        await db.PutAsync("a/1", "A", "{\"X\":1}");
        await db.PutAsync("b/1", "B", "{\"X\":1}");
        await db.PutAsync("b/1", "C", "{\"X\":1}");
        await db.DeleteAsync("a/1");
        await db.SettleAsync("All");
        Assert.Equal(["""b/1 {"C":"C"}"""], db.Rows("All"));
    }

    [Fact]
    public async Task A_document_that_fails_is_told_and_the_others_go_on()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition("E", "from u in docs.Users\nselect new { Half = u.N / 2 }")
        );
        await db.PutAsync("users/1", "Users", "{\"N\":4}");
        await db.PutAsync("users/2", "Users", "{\"N\":\"x\"}");
        await db.PutAsync("users/3", "Users", "{\"N\":6}");
        await db.SettleAsync("E");
        Assert.Equal(["""users/1 {"Half":2}""", """users/3 {"Half":3}"""], db.Rows("E"));
        var error = Assert.Single(db.Indexes.GetErrors("E"));
        Assert.Equal(("users/2", 2L, "map", 2), (error.DocumentId, error.Position, error.Source, error.Line));
        Assert.Contains("is not defined", error.Message, StringComparison.Ordinal);
        Assert.Equal((IndexState.Normal, 1), (db.Indexes.Get("E")!.State, db.Indexes.Get("E")!.Errors));

        // What it had before is not found any more either.
        await db.PutAsync("users/1", "Users", "{\"N\":\"y\"}");
        await db.PutAsync("users/2", "Users", "{\"N\":8}");
        await db.SettleAsync("E");
        Assert.Equal(["""users/2 {"Half":4}""", """users/3 {"Half":3}"""], db.Rows("E"));
    }

    [Fact]
    public async Task Too_many_failures_put_the_index_in_error_until_it_is_reset()
    {
        var options = new IndexingOptions
        {
            MinErrorSample = 10,
            MaxErrorShare = 0.3,
            MaxErrors = 3,
        };
        await using var db = IndexedDatabase.Open(indexing: options);
        for (var i = 0; i < 10; i++)
            await db.PutAsync($"users/{i}", "Users", i < 4 ? "{\"N\":\"x\"}" : "{\"N\":1}");
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition("E", "from u in docs.Users select new { Half = u.N / 2 }")
        );
        var failed = await Assert.ThrowsAsync<IndexFailedException>(async () =>
        {
            await db.SettleAsync("E");
            await db.PutAsync("users/x", "Users", "{\"N\":1}");
            await db.SettleAsync("E");
        });
        Assert.Contains("4 of 10 documents failed, over MaxErrorShare = 0.3", failed.Message, StringComparison.Ordinal);
        Assert.Equal(IndexState.Error, db.Indexes.Get("E")!.State);
        Assert.Equal(3, db.Indexes.GetErrors("E").Count);
        for (var i = 0; i < 4; i++)
            await db.PutAsync($"users/{i}", "Users", "{\"N\":2}");
        await db.Indexes.ResetAsync("E");
        await db.SettleAsync("E");
        Assert.Equal(11, db.Rows("E").Count);
        Assert.Equal(IndexState.Normal, db.Indexes.Get("E")!.State);
    }

    [Fact]
    public async Task A_change_of_a_loaded_document_reaches_those_that_loaded_it()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition(
                "O",
                "from o in docs.Orders let c = LoadDocument(o.Company, \"Companies\") select new { c.Name }"
            )
        );
        await db.PutAsync("orders/1", "Orders", "{\"Company\":\"companies/1\"}");
        await db.PutAsync("orders/2", "Orders", "{\"Company\":\"Companies/1\"}");
        await db.PutAsync("orders/3", "Orders", "{\"Company\":\"companies/2\"}");
        await db.SettleAsync("O");
        string Row(int order, string name) => $"orders/{order} {{\"Name\":{name}}}";
        Assert.Equal([Row(1, "null"), Row(2, "null"), Row(3, "null")], db.Rows("O"));
        await db.PutAsync("COMPANIES/1", "Companies", "{\"Name\":\"a\"}");
        await db.SettleAsync("O");
        Assert.Equal([Row(1, "\"a\""), Row(2, "\"a\""), Row(3, "null")], db.Rows("O"));
        await db.PutAsync("orders/2", "Orders", "{\"Company\":\"companies/2\"}");
        await db.PutAsync("companies/1", "Companies", "{\"Name\":\"b\"}");
        await db.SettleAsync("O");
        Assert.Equal([Row(1, "\"b\""), Row(2, "null"), Row(3, "null")], db.Rows("O"));
        await db.PutAsync("companies/2", "Elsewhere", "{\"Name\":\"no company\"}");
        await db.PutAsync("companies/1", "Elsewhere", "{\"Name\":\"not any more\"}");
        await db.SettleAsync("O");
        Assert.Equal([Row(1, "null"), Row(2, "null"), Row(3, "null")], db.Rows("O"));
        var before = db.Indexes.GetBatches("O").Sum(b => b.Documents);
        await db.PutAsync("companies/3", "Companies", "{\"Name\":\"unheard of\"}");
        await db.SettleAsync("O");
        Assert.Equal(before, db.Indexes.GetBatches("O").Sum(b => b.Documents));
    }

    [Fact]
    public async Task Many_that_loaded_one_document_are_taken_in_several_batches()
    {
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MaxBatchBytes = 1 << 20 });
        await db.PutAsync("companies/1", "Companies", "{\"Name\":\"a\"}");
        var batch = new DocumentBatch();
        for (var i = 0; i < 2500; i++)
        {
            batch.Put(
                $"orders/{i}",
                System.Text.Encoding.UTF8.GetBytes(
                    $$$"""{"@metadata":{"@collection":"Orders"},"Company":"companies/1","Filler":"{{{new string('x', 400)}}}"}"""
                )
            );
        }

        await db.ExecuteAsync(batch);
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition(
                "O",
                "from o in docs.Orders let c = LoadDocument(o.Company, \"Companies\") select new { c.Name, o.Filler }"
            )
        );
        await db.SettleAsync("O");
        var before = db.Indexes.GetBatches("O").Count;
        await db.PutAsync("companies/1", "Companies", "{\"Name\":\"b\"}");
        await db.SettleAsync("O");
        Assert.All(db.Rows("O"), r => Assert.Contains("\"Name\":\"b\"", r, StringComparison.Ordinal));
        Assert.Equal(2500, db.Rows("O").Count);
        Assert.True(db.Indexes.GetBatches("O").Count - before > 1, "one batch took all of them");
    }

    [Fact]
    public async Task A_changed_definition_is_built_beside_the_old_one()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync("users/1", "Users", """{"Name":"Ada","City":"London"}""");
        await db.Indexes.PutAsync(IndexedDatabase.Definition("U", ByCity));
        await db.SettleAsync("U");
        using (var old = db.Indexes.Open("U"))
        {
            await db.Indexes.PutAsync(IndexedDatabase.Definition("U", "from u in docs.Users select new { u.City }"));
            while (db.Indexes.Get("U")!.ReplacementPosition is not null)
                await Task.Yield();
            using var now = db.Indexes.Open("U");
            Assert.Equal(["City"], now.FieldNames);
            Assert.Equal(["Name", "City"], old.FieldNames);
            Assert.NotEqual(now.DefinitionVersion, old.DefinitionVersion);
            Assert.Equal(1, old.Reader.LiveCount);
        }

        Assert.Equal(["""users/1 {"City":"London"}"""], db.Rows("U"));
        var locked = db.Indexes.Get("U")!.Definition with
        {
            LockMode = IndexLockMode.LockedError,
            Priority = IndexPriority.Low,
        };
        await db.Indexes.PutAsync(locked);
        Assert.Equal(
            (IndexLockMode.LockedError, IndexPriority.Low),
            (db.Indexes.Get("U")!.Definition.LockMode, db.Indexes.Get("U")!.Definition.Priority)
        );
        await Assert.ThrowsAsync<InvalidIndexException>(() => db.Indexes.PutAsync(locked with { Maps = [ByCity] }));
        await db.Indexes.PutAsync(locked with { LockMode = IndexLockMode.LockedIgnore });
        await db.Indexes.PutAsync(locked with { LockMode = IndexLockMode.LockedIgnore, Maps = [ByCity] });
        Assert.Equal("from u in docs.Users select new { u.City }", db.Indexes.Get("U")!.Definition.Maps[0]);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(
        "from r in results group r by new { r.City } into g select new { g.Key.City, Count = g.Sum(x => x.Count) }"
    )]
    public async Task A_batch_holds_no_more_than_its_bound(string? reduce)
    {
        const int bound = 1 << 20;
        var random = new Random(11);
        await using var db = IndexedDatabase.Open(
            indexing: new IndexingOptions { MaxBatchBytes = bound, MaxBatchTime = TimeSpan.FromHours(1) }
        );
        const int documents = 600;
        for (var i = 0; i < documents; i++)
        {
            // Most are small, some of them a fifth of the bound when they are indexed.
            var words = random.Next(20) == 0 ? 4_000 : random.Next(100);
            var text = string.Join(' ', Enumerable.Range(0, words).Select(_ => random.Next(100_000)));
            await db.PutAsync($"users/{i}", "Users", $$"""{"Text":"{{text}}","City":"c{{random.Next(300)}}"}""");
        }

        await db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "U",
                Maps =
                [
                    reduce is null
                        ? "from u in docs.Users select new { u.Text }"
                        : "from u in docs.Users select new { u.City, Count = 1 }",
                ],
                Reduce = reduce,
                Fields = new Dictionary<string, IndexFieldDefinition> { ["Text"] = new() { Analyzer = "standard" } },
            }
        );
        await db.SettleAsync("U");
        var batches = db.Indexes.GetBatches("U");
        Assert.Equal(documents, batches.Sum(b => b.Documents));
        Assert.All(batches, b => Assert.InRange(b.MemoryBytes, 1, bound));
        if (reduce is null)
            Assert.InRange(batches.Count, 3, 60);
    }

    [Fact]
    public async Task Wrong_definitions_are_refused()
    {
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MaxIndexes = 1 });
        var wrong = await Assert.ThrowsAsync<InvalidIndexException>(() =>
            db.Indexes.PutAsync(IndexedDatabase.Definition("U", "from u in docs.Users select new { x }"))
        );
        Assert.Equal("map:1:35", $"{wrong.Errors[0].Source}:{wrong.Errors[0].Line}:{wrong.Errors[0].Column}");
        await Assert.ThrowsAsync<InvalidIndexException>(() =>
            db.Indexes.PutAsync(IndexedDatabase.Definition(" ", ByCity))
        );
        var good = IndexedDatabase.Definition("U", ByCity);
        await Assert.ThrowsAsync<InvalidIndexException>(() =>
            db.Indexes.PutAsync(
                good with
                {
                    Fields = new Dictionary<string, IndexFieldDefinition> { ["Name"] = new() { Analyzer = "klingon" } },
                }
            )
        );
        await db.Indexes.PutAsync(good);
        var full = await Assert.ThrowsAsync<InvalidIndexException>(() => db.Indexes.PutAsync(good with { Name = "V" }));
        Assert.Contains("MaxIndexes = 1", full.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<IndexNotFoundException>(() => db.Indexes.WaitAsync("nobody"));
        Assert.True(await db.Indexes.DeleteAsync("u"));
        Assert.False(await db.Indexes.DeleteAsync("u"));
        Assert.Empty(db.Indexes.List());
    }

    [Fact]
    public async Task Paused_and_disabled_indexes_stay_as_they_are()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(IndexedDatabase.Definition("U", ByCity));
        foreach (var state in new[] { IndexState.Paused, IndexState.Disabled })
        {
            await db.SettleAsync("U");
            await db.Indexes.SetStateAsync("U", state);
            var rows = db.Rows("U").Count;
            await db.PutAsync($"users/{state}", "Users", """{"Name":"Ada"}""");
            var info = db.Indexes.Get("U")!;
            Assert.Equal((state, 1L, true), (info.State, info.Lag, info.IsStale));
            Assert.Equal(rows, db.Rows("U").Count);
            Assert.False(await db.Indexes.WaitAsync("U", timeout: TimeSpan.FromMilliseconds(1)));
            await db.Indexes.SetStateAsync("U", IndexState.Normal);
        }

        await db.SettleAsync("U");
        Assert.Equal(2, db.Rows("U").Count);
        await Assert.ThrowsAsync<ArgumentException>(() => db.Indexes.SetStateAsync("U", IndexState.Error));
    }

    [Fact]
    public async Task Waits_end_at_a_position_by_time_or_by_cancellation()
    {
        var time = new ManualTimeProvider();
        await using var db = IndexedDatabase.Open(time: time);
        await db.Indexes.PutAsync(IndexedDatabase.Definition("U", ByCity));
        await db.PutAsync("users/1", "Users", "{\"Name\":\"Ada\"}");
        Assert.True(await db.Indexes.WaitAsync("U", position: 1));
        var future = db.Indexes.WaitAsync("U", position: 2, timeout: TimeSpan.FromSeconds(10));
        Assert.False(future.IsCompleted);
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.False(await future);
        using var cancel = new CancellationTokenSource();
        var cancelled = db.Indexes.WaitAsync("U", position: 2, ct: cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        var met = db.Indexes.WaitAsync("U", position: 2);
        await db.PutAsync("users/2", "Users", "{\"Name\":\"Bob\"}");
        Assert.True(await met);
        var gone = db.Indexes.WaitAsync("U", position: 99);
        await db.Indexes.DeleteAsync("U");
        await Assert.ThrowsAsync<IndexNotFoundException>(() => gone);
    }

    [Fact]
    public async Task Everything_is_there_again_after_reopening()
    {
        var path = Directory.CreateTempSubdirectory("pipeline-indexes-").FullName;
        try
        {
            await using (var db = IndexedDatabase.Open(path))
            {
                await db.Indexes.PutAsync(IndexedDatabase.Definition("U/Ü", ByCity));
                await db.Indexes.PutAsync(IndexedDatabase.Definition("Gone", ByCity));
                await db.PutAsync("users/1", "Users", "{\"Name\":\"Ada\"}");
                await db.SettleAsync("U/Ü");
                await db.Indexes.SetStateAsync("U/Ü", IndexState.Disabled);
                await db.Indexes.DeleteAsync("Gone");
            }

            Directory.CreateDirectory(Path.Combine(path, "indexes", "left-over-77"));
            await using (var db = IndexedDatabase.Open(path))
            {
                Assert.Equal(IndexState.Disabled, Assert.Single(db.Indexes.List()).State);
                Assert.Single(db.Rows("U/Ü"));
                using (var open = db.Indexes.Open("U/Ü"))
                    Assert.Equal(["Name", "City"], open.FieldNames);
                Assert.Equal(1, db.Indexes.Get("U/Ü")!.Mapped);
                await db.Indexes.SetStateAsync("U/Ü", IndexState.Normal);
                await db.PutAsync("users/2", "Users", "{\"Name\":\"Bob\"}");
                await db.SettleAsync("U/Ü");
                Assert.Equal(2, db.Rows("U/Ü").Count);
                Assert.Equal(2, db.Indexes.Get("U/Ü")!.Mapped);
            }

            Assert.Single(Directory.GetDirectories(Path.Combine(path, "indexes")));
        }
        finally
        {
            Directory.Delete(path, recursive: true);
        }
    }
}
