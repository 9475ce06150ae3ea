using System.Text;
using Pipeline.Documents;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests;

public sealed class DocumentTests : IAsyncLifetime
{
    private readonly DocumentDatabase _db = TestDatabase.Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Fact]
    public async Task A_document_comes_back_whole()
    {
        var put = await _db.PutAsync(
            "orders/1",
            Json("""{"Name":"x","Total":14.0,"@metadata":{"@collection":"Orders","mine":[1]}}""")
        );
        Assert.Equal(
            ("orders/1", "Orders", 1L, $"A:1-{_db.Id}"),
            (put.Id, put.Collection, put.Position, put.ChangeVector)
        );
        using var snapshot = _db.OpenSnapshot();
        Assert.True(snapshot.TryGet("orders/1", out var document));
        Assert.Equal("""{"Name":"x","Total":14.0,"@metadata":{"mine":[1]}}""", document.Body.ToString());
        Assert.Equal("[1]", document.Metadata["mine"].ToString());
        Assert.Equal(
            $$"""{"@metadata":{"@id":"orders/1","@collection":"Orders","@change-vector":"A:1-{{_db.Id}}","@last-modified":"2026-01-02T03:04:05.0000000Z","mine":[1]},"Name":"x","Total":14.0}""",
            document.ToString()
        );
        Assert.Equal(22, _db.Id.ToString().Length);
    }

    [Fact]
    public async Task What_was_written_out_can_be_put_again_with_nothing_left_behind()
    {
        await _db.PutAsync("a/1", Json("""{"N":1}"""));
        var text = Get("a/1")!.ToString();
        await _db.PutAsync(null, Json(text));
        var again = Get("a/1")!;
        Assert.Equal(2, again.Position);
        Assert.Equal("""{"N":1}""", again.Body.ToString());
        Assert.Equal("@empty", again.Collection);
        Assert.False(again.Metadata.Exists);
    }

    [Fact]
    public async Task An_id_is_found_in_any_case_and_keeps_its_own()
    {
        await _db.PutAsync("Orders/ÄÖ-ß", Json("""{"N":1}"""));
        Assert.Equal("Orders/ÄÖ-ß", Get("ORDERS/äö-ß")!.Id);
        await _db.PutAsync("orders/äÖ-ß", Json("""{"N":2}"""));
        Assert.Equal("orders/äÖ-ß", Get("Orders/ÄÖ-ß")!.Id);
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(1, snapshot.GetStatistics().Documents);
    }

    [Theory]
    [InlineData("", "it is empty")]
    [InlineData("a\nb", "it holds a control character")]
    [InlineData("a\u0085b", "it holds a control character")]
    [InlineData("a\u007f", "it holds a control character")]
    [InlineData("a/", "names no document")]
    public void What_cannot_be_an_id_is_refused(string id, string reason)
    {
        using var snapshot = _db.OpenSnapshot();
        var e = Assert.Throws<InvalidDocumentIdException>(() => snapshot.TryGet(id, out _));
        Assert.Contains(reason, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Half_a_surrogate_pair_is_no_id()
    {
        var e = await Assert.ThrowsAsync<InvalidDocumentIdException>(() =>
            _db.PutAsync("a" + (char)0xD800, Json("{}"))
        );
        Assert.Contains("it holds half of a surrogate pair", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_id_may_have_512_bytes_and_no_more()
    {
        string longest = new('ä', 256);
        await _db.PutAsync(longest, Json("{}"));
        Assert.Equal(longest, Get(longest.ToUpperInvariant())!.Id);
        var e = await Assert.ThrowsAsync<InvalidDocumentIdException>(() => _db.PutAsync(longest + "x", Json("{}")));
        Assert.Contains("more than 512 bytes", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ids_are_made_where_asked_for()
    {
        Assert.Equal("orders/0000000000000000001-A", (await _db.PutAsync("orders/", Json("{}"))).Id);
        Assert.Equal("orders/0000000000000000002-A", (await _db.PutAsync("orders/", Json("{}"))).Id);
        await _db.PutAsync("orders/0000000000000000004-A", Json("{}"));
        Assert.Equal("orders/0000000000000000005-A", (await _db.PutAsync("orders/", Json("{}"))).Id);
        await _db.PutAsync("invoices/2", Json("{}"));
        Assert.Equal("invoices/1", (await _db.PutAsync("invoices|", Json("{}"))).Id);
        Assert.Equal("Invoices/3", (await _db.PutAsync("Invoices|", Json("{}"))).Id);
        Assert.True(Guid.TryParse((await _db.PutAsync(null, Json("{}"))).Id, out _));
        Assert.Equal("mine/7", (await _db.PutAsync(null, Json("""{"@metadata":{"@id":"mine/7"}}"""))).Id);
    }

    [Theory]
    [InlineData("[]", "a document must be a JSON object")]
    [InlineData("1", "a document must be a JSON object")]
    [InlineData("""{"@metadata":1}""", "@metadata must be an object")]
    [InlineData("""{"@metadata":[]}""", "@metadata must be an object")]
    [InlineData("""{"@metadata":{"@id":7}}""", "this property of @metadata must be a string")]
    [InlineData("""{"@metadata":{"@id":{"a":{}}}}""", "this property of @metadata must be a string")]
    [InlineData("""{"@metadata":{},"@metadata":{}}""", "the property '@metadata' twice")]
    [InlineData("""{"@metadata":{"@id":"a","@id":"b"}}""", "the property '@id' twice")]
    [InlineData("""{"@metadata":{"@id":null,"@id":"b"}}""", "the property '@id' twice")]
    public async Task What_is_no_document_is_refused(string json, string reason)
    {
        var e = await Assert.ThrowsAsync<JsonFormatException>(() => _db.PutAsync("a", Json(json)));
        Assert.Contains(reason, e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        """{"@metadata":{"@id":"x","@collection":"C","@change-vector":"v","@last-modified":"d"},"a":1}""",
        """{"a":1}"""
    )]
    [InlineData("""{"a":1,"@metadata":{}}""", """{"a":1}""")]
    [InlineData(
        """{"@metadata":{"@id":"x","k":{"@id":5}},"a":{"@metadata":1,"@id":2}}""",
        """{"@metadata":{"k":{"@id":5}},"a":{"@metadata":1,"@id":2}}"""
    )]
    [InlineData("""{"a":{"@metadata":{"x":1}},"@metadata":{}}""", """{"a":{"@metadata":{"x":1}}}""")]
    [InlineData("""{"@metadata":{"@id":null},"@id":"y","@metadatas":{}}""", """{"@id":"y","@metadatas":{}}""")]
    public void System_metadata_leaves_no_trace(string json, string body)
    {
        var draft = DocumentDraft.Parse(Encoding.UTF8.GetBytes(json));
        Assert.Equal(body, draft.Body.ToString());
        Assert.Equal(BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(body)).Data.ToArray(), draft.Body.Data.ToArray());
    }

    [Fact]
    public async Task Change_vectors_guard_writes()
    {
        var missing = await Assert.ThrowsAsync<ConcurrencyException>(() => _db.PutAsync("a", Json("{}"), "A:9-x"));
        Assert.Equal(("a", "A:9-x", null), (missing.Id, missing.Expected, missing.Actual));
        var first = await _db.PutAsync("a", Json("{}"), "");
        var exists = await Assert.ThrowsAsync<ConcurrencyException>(() => _db.PutAsync("A", Json("{}"), ""));
        Assert.Equal(first.ChangeVector, exists.Actual);
        var second = await _db.PutAsync("a", Json("{}"), first.ChangeVector);
        await Assert.ThrowsAsync<ConcurrencyException>(() => _db.PutAsync("a", Json("{}"), first.ChangeVector));
        await Assert.ThrowsAsync<ConcurrencyException>(() => _db.DeleteAsync("a", first.ChangeVector));
        Assert.True(await _db.DeleteAsync("a", second.ChangeVector));
        Assert.False(await _db.DeleteAsync("a"));
        await Assert.ThrowsAsync<ConcurrencyException>(() => _db.DeleteAsync("a", second.ChangeVector));
        await _db.PutAsync("a", Json("{}"), "");
        Assert.Equal(4, _db.LastPosition);
    }

    [Fact]
    public async Task A_batch_is_done_whole_or_not_at_all()
    {
        await _db.PutAsync("b", Json("""{"N":0}"""));
        var bad = new DocumentBatch().Put("a", "{}"u8).Delete("b").Put("c", "{}"u8, "A:7-x");
        var e = await Assert.ThrowsAsync<ConcurrencyException>(() => _db.ExecuteAsync(bad));
        Assert.Equal("c", e.Id);
        Assert.Null(Get("a"));
        Assert.NotNull(Get("b"));
        Assert.Equal(1, _db.LastPosition);

        var results = await _db.ExecuteAsync(
            new DocumentBatch().Put("a/", "{}"u8).Delete("b").Delete("none").Put("b", """{"N":2}"""u8)
        );
        Assert.Equal(["a/0000000000000000002-A", "b", "none", "b"], results.Select(r => r.Id));
        Assert.Equal([false, true, false, false], results.Select(r => r.Deleted));
        Assert.Equal("""{"N":2}""", Get("b")!.Body.ToString());
        Assert.Equal(4, _db.LastPosition);
    }

    [Fact]
    public async Task State_commits_with_documents_and_makes_no_change()
    {
        await _db.WriteAsync(t =>
        {
            t.SetState("etl/x", [1, 2]);
            Assert.Equal([1, 2], t.GetState("etl/x"));
        });
        Assert.Equal(0, _db.LastPosition);
        await Assert.ThrowsAsync<InvalidDataException>(() =>
            _db.WriteAsync(t =>
            {
                t.SetState("etl/x", [3]);
                t.Put("a", "{}"u8);
                Assert.True(t.TryGet("A", out _));
                throw new InvalidDataException("no");
            })
        );
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal([1, 2], snapshot.GetState("etl/x"));
        Assert.Null(snapshot.GetState("etl/y"));
        Assert.False(snapshot.TryGet("a", out _));
        Assert.True(await _db.WriteAsync(t => t.DeleteState("etl/x")));
        Assert.Equal([1, 2], snapshot.GetState("etl/x"));
    }

    [Fact]
    public async Task A_transaction_is_of_no_use_after_its_function()
    {
        var kept = await _db.WriteAsync(t => t);
        Assert.Throws<ObjectDisposedException>(() => kept.Put("a", "{}"u8));
    }

    [Fact]
    public async Task Documents_are_read_by_prefix_and_by_collection()
    {
        foreach (var id in new[] { "b/2", "a/1", "B/10", "b/1", "c" })
            await _db.PutAsync(id, Json("{\"@metadata\":{\"@collection\":\"" + id[..1] + "s\"}}"));
        await _db.DeleteAsync("b/1");
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(["B/10", "b/2"], snapshot.GetByPrefix("b/").Select(d => d.Id));
        Assert.Equal(["B/10", "b/2"], snapshot.GetByPrefix("B/").Select(d => d.Id));
        Assert.Equal(["b/2"], snapshot.GetByPrefix("b/", "b/10").Select(d => d.Id));
        Assert.Equal(["a/1", "B/10", "b/2", "c"], snapshot.GetByPrefix("").Select(d => d.Id));
        Assert.Equal(["b/2", "B/10"], snapshot.GetByCollection("BS").Select(d => d.Id));
        Assert.Equal("bs", snapshot.GetByCollection("BS").Last().Collection);
        Assert.Empty(snapshot.GetByCollection("none"));
        Assert.Equal(
            [
                new CollectionStatistics("as", 1, 0),
                new CollectionStatistics("bs", 2, 1),
                new CollectionStatistics("cs", 1, 0),
            ],
            snapshot.GetStatistics().Collections
        );
        Assert.True(snapshot.TryGetByPosition(6, out var tombstone));
        Assert.True(tombstone.IsDeleted);
        Assert.False(snapshot.TryGetByPosition(4, out _));
    }

    [Fact]
    public async Task A_snapshot_stays_as_it_was()
    {
        await _db.PutAsync("a", Json("""{"N":1}"""));
        using var before = _db.OpenSnapshot();
        await _db.PutAsync("a", Json("""{"N":2}"""));
        await _db.PutAsync("b", Json("""{"@metadata":{"@collection":"New"}}"""));
        Assert.True(before.TryGet("a", out var a));
        Assert.Equal("""{"N":1}""", a.Body.ToString());
        Assert.False(before.TryGet("b", out _));
        Assert.Empty(before.GetByCollection("New"));
        Assert.Equal(1, before.LastPosition);
    }

    private Document? Get(string id)
    {
        using var snapshot = _db.OpenSnapshot();
        return snapshot.TryGet(id, out var document) ? document : null;
    }

    private static byte[] Json(string text) => Encoding.UTF8.GetBytes(text);
}
