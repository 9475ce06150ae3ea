using System.Text;
using Pipeline.Documents;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests;

public sealed class BulkInsertTests : IAsyncLifetime
{
    private readonly DocumentDatabase _db = TestDatabase.Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Fact]
    public async Task Everything_is_stored_in_order_over_many_commits()
    {
        await using var insert = _db.BeginBulkInsert(new BulkInsertOptions { BatchCount = 7 });
        for (var i = 0; i < 100; i++)
            await insert.StoreAsync(i % 2 == 0 ? $"d/{i}" : "e/", Json("{\"N\":" + i + "}"));
        Assert.Equal(100, await insert.CompleteAsync());
        using var snapshot = _db.OpenSnapshot();
        using var changes = snapshot.ReadChanges(0, ChangeFilter.All);
        Assert.Equal(Enumerable.Range(0, 100).Select(i => (long)i), changes.Select(c => c.Body.Root["N"].GetInt64()));
        Assert.Equal("e/0000000000000000002-A", changes[1].Id);
    }

    [Fact]
    public async Task A_bad_document_is_refused_at_once_and_the_others_go_on()
    {
        await using var insert = _db.BeginBulkInsert();
        await insert.StoreAsync("a", Json("{}"));
        await Assert.ThrowsAsync<JsonFormatException>(async () => await insert.StoreAsync("b", Json("{")));
        await Assert.ThrowsAsync<InvalidDocumentIdException>(async () => await insert.StoreAsync("b\n", Json("{}")));
        await Assert.ThrowsAsync<InvalidDocumentIdException>(async () =>
            await insert.StoreAsync(null, Json("""{"@metadata":{"@id":"x\ty"}}"""))
        );
        await Assert.ThrowsAsync<InvalidCollectionException>(async () =>
            await insert.StoreAsync("b", Json("""{"@metadata":{"@collection":"x\ty"}}"""))
        );
        await insert.StoreAsync("c", Json("{}"));
        Assert.Equal(2, await insert.CompleteAsync());
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(["a", "c"], snapshot.GetByPrefix("").Select(d => d.Id));
    }

    [Fact]
    public async Task Attachments_come_in_their_order_and_count_as_no_documents()
    {
        await using var insert = _db.BeginBulkInsert(new BulkInsertOptions { BatchCount = 3 });
        for (var i = 0; i < 5; i++)
        {
            await insert.StoreAsync($"d/{i}", Json("{}"));
            await insert.StoreAttachmentAsync($"d/{i}", "small", await StageAsync(10 + i), "text/plain");
            await insert.StoreAttachmentAsync($"d/{i}", "large", await StageAsync(600_000));
        }

        await Assert.ThrowsAsync<AttachmentException>(async () =>
            await insert.StoreAttachmentAsync("d/1", "", await StageAsync(1))
        );
        Assert.Equal(5, await insert.CompleteAsync());
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal((10L, 6L), (snapshot.GetStatistics().Attachments, snapshot.GetStatistics().AttachmentContents));
        Assert.True(snapshot.TryGetAttachment("d/4", "small", out var attachment));
        Assert.Equal((14L, "text/plain"), (attachment.Size, attachment.ContentType));
    }

    [Fact]
    public async Task An_attachment_of_a_document_that_is_not_there_stops_it()
    {
        await using var insert = _db.BeginBulkInsert();
        await insert.StoreAttachmentAsync("none", "a", await StageAsync(1));
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () => await insert.CompleteAsync());
        Assert.IsType<AttachmentException>(e.InnerException);
    }

    [Fact]
    public async Task What_is_there_with_the_same_content_is_left_alone_on_demand()
    {
        for (var round = 0; round < 2; round++)
        {
            await using var insert = _db.BeginBulkInsert(new BulkInsertOptions { SkipsUnchanged = true });
            await insert.StoreAsync("a", Json("""{"N":1}"""));
            await insert.StoreAsync("b", Json("{\"N\":" + round + "}"));
            await insert.StoreAsync("c", Json($$$"""{"N":1,"@metadata":{"@collection":"C{{{round}}}"}}"""));
            await insert.CompleteAsync();
        }

        using var snapshot = _db.OpenSnapshot();
        Assert.True(snapshot.TryGet("a", out var same));
        Assert.True(snapshot.TryGet("b", out var changed));
        Assert.True(snapshot.TryGet("c", out var moved));
        Assert.Equal((1L, 4L, "C1"), (same.Position, changed.Position, moved.Collection));
    }

    private Task<StagedAttachment> StageAsync(int size) => _db.Attachments.StageAsync(new MemoryStream(new byte[size]));

    [Fact]
    public async Task Leaving_the_block_stores_every_document_that_was_accepted()
    {
        await using (var insert = _db.BeginBulkInsert())
        {
            for (var i = 0; i < 5_000; i++)
                await insert.StoreAsync($"d/{i}", Json("{}"));
        }

        Assert.Equal(5_000, Count());
    }

    [Fact]
    public async Task Leaving_the_block_by_an_exception_stores_what_was_accepted_and_says_how_much()
    {
        var insert = _db.BeginBulkInsert(new BulkInsertOptions { BatchCount = 2 });
        await Assert.ThrowsAsync<FormatException>(async () =>
        {
            await using (insert)
            {
                for (var i = 0; i < 3; i++)
                    await insert.StoreAsync($"d/{i}", Json("{}"));
                throw new FormatException("the caller's own");
            }
        });
        Assert.Equal((3, 3, 3), (insert.Accepted, insert.Stored, Count()));
    }

    [Fact]
    public async Task Leaving_the_block_throws_where_a_commit_failed()
    {
        await using var small = DocumentDatabase.Open(new DatabaseOptions { MaxCollections = 1 });
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await using var insert = small.BeginBulkInsert(new BulkInsertOptions { BatchCount = 2 });
            await insert.StoreAsync("a", Json("""{"@metadata":{"@collection":"A"}}"""));
            await insert.StoreAsync("a2", Json("""{"@metadata":{"@collection":"A"}}"""));
            await insert.StoreAsync("b", Json("""{"@metadata":{"@collection":"B"}}"""));
        });
        Assert.Equal((2, 3), (e.Stored, e.Accepted));
        Assert.IsType<InvalidCollectionException>(e.InnerException);
    }

    [Fact]
    public async Task Commits_behind_a_failed_one_count_too()
    {
        await using var small = DocumentDatabase.Open(new DatabaseOptions { MaxCollections = 1 });
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await using var insert = small.BeginBulkInsert(
                new BulkInsertOptions { BatchCount = 1, MaxBatchesInFlight = 8 }
            );
            await insert.StoreAsync("a", Json("""{"@metadata":{"@collection":"A"}}"""));
            await insert.FlushAsync();
            await insert.StoreAttachmentAsync("none", "x", await StageAsync(1));
            await insert.StoreAsync("b", Json("""{"@metadata":{"@collection":"A"}}"""));
            await insert.FlushAsync();
        });
        using var snapshot = small.OpenSnapshot();
        Assert.Equal(snapshot.GetByPrefix("").Count(), e.Stored);
    }

    [Fact]
    public async Task A_failed_commit_stops_it_with_the_cause()
    {
        await using var small = DocumentDatabase.Open(new DatabaseOptions { MaxCollections = 1 });
        await using var insert = small.BeginBulkInsert(
            new BulkInsertOptions { BatchCount = 1, MaxBatchesInFlight = 1 }
        );
        await insert.StoreAsync("a", Json("""{"@metadata":{"@collection":"A"}}"""));
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await insert.StoreAsync("b", Json("""{"@metadata":{"@collection":"B"}}"""));
            await insert.CompleteAsync();
        });
        Assert.Contains(
            "stored 1 of 2 documents, then failed: 'B' cannot be a collection: there are 1 collections already",
            e.Message,
            StringComparison.Ordinal
        );
    }

    private int Count()
    {
        using var snapshot = _db.OpenSnapshot();
        return snapshot.GetByPrefix("").Count();
    }

    private static byte[] Json(string text) => Encoding.UTF8.GetBytes(text);
}
