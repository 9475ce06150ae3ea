using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>
/// Symptom: <c>from O where n = 1</c> gave 500 results and was stale after 501 acknowledged puts of the same process.
/// </summary>
public sealed class OwnWriteTests : IAsyncLifetime
{
    private const string Query = "from Orders where N = 1";
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _db;
    private string _index = "";

    public OwnWriteTests() => _db = IndexedDatabase.Open(time: _time);

    public async Task InitializeAsync()
    {
        await _db.PutAsync("orders/1", "Orders", """{"N":1}""");
        var first = await _db.QueryAsync(Query);
        _index = first.IndexName;
        Assert.Equal((1, true, false), (first.Total, first.WaitSucceeded, first.IsStale));
    }

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Fact]
    public async Task A_query_waits_for_what_was_written_before_it()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        var query = _db.QueryAsync(Query).AsTask();
        await _db.Indexes.SetStateAsync(_index, IndexState.Normal);
        var result = await query;
        Assert.Equal((2, true, false), (result.Total, result.WaitSucceeded, result.IsStale));
    }

    [Fact]
    public async Task A_document_that_was_overwritten_since_is_waited_for()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        var own = _db.LastPosition;
        await _db.PutAsync("orders/2", "Orders", """{"N":1,"By":"another"}""");
        var query = _db.QueryAsync(Query, own).AsTask();
        await _db.Indexes.SetStateAsync(_index, IndexState.Normal);
        var result = await query;
        Assert.Equal((2, true), (result.Total, result.WaitSucceeded));
    }

    [Fact]
    public async Task When_the_wait_is_over_the_result_says_so_and_a_stream_throws()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        var query = _db.QueryAsync(Query).AsTask();
        Assert.False(query.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(15));
        var result = await query;
        Assert.Equal((1, false, true, 1L), (result.Total, result.WaitSucceeded, result.IsStale, result.Lag.Changes));

        var stream = Task.Run(async () =>
        {
            await foreach (
                var _ in _db.StreamQueryAsync(new QueryRequest(Query) { Wait = new IndexWait(TimeSpan.FromTicks(1)) })
            )
            {
                Assert.Fail("It gave a result.");
            }
        });
        while (!stream.IsCompleted)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        var e = await Assert.ThrowsAsync<StaleIndexException>(() => stream);
        Assert.StartsWith(
            $"The index '{_index}' is 1 changes behind after a wait of ",
            e.Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task No_wait_reads_the_index_as_it_is()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        var result = await _db.QueryAsync(new QueryRequest(Query) { Wait = IndexWait.None });
        Assert.Equal((1, null, true), (result.Total, result.WaitSucceeded, result.IsStale));
    }

    [Fact]
    public async Task An_index_that_is_disabled_is_not_waited_for()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Disabled);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        var result = await _db.QueryAsync(Query);
        Assert.Equal((1, false, true), (result.Total, result.WaitSucceeded, result.IsStale));
    }

    [Fact]
    public async Task Changes_of_other_collections_are_not_waited_for()
    {
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("people/1", "People", """{"N":1}""");
        var result = await _db.QueryAsync(Query);
        Assert.Equal((1, true, false), (result.Total, result.WaitSucceeded, result.IsStale));
    }

    [Fact]
    public async Task A_position_is_waited_for_and_what_comes_later_is_not()
    {
        var second = await _db.PutAsync("orders/2", """{"N":1,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        Assert.Equal(2, (await _db.QueryAsync(Query)).Total);
        await _db.Indexes.SetStateAsync(_index, IndexState.Paused);
        await _db.PutAsync("orders/3", "Orders", """{"N":1}""");
        var result = await _db.QueryAsync(Query, waitFor: second.Position);
        Assert.Equal((2, true, false, 1L), (result.Total, result.WaitSucceeded, result.IsStale, result.Lag.Changes));
    }

    [Theory]
    [InlineData("from Orders")]
    [InlineData("from @all_docs")]
    public async Task A_position_that_no_write_has_reached_is_waited_for_without_an_index_too(string query)
    {
        var waiting = _db.QueryAsync(query, waitFor: _db.LastPosition + 1).AsTask();
        Assert.False(waiting.IsCompleted);
        await _db.PutAsync("orders/2", "Orders", """{"N":1}""");
        Assert.Equal((2, true), ((await waiting).Total, (await waiting).WaitSucceeded));
        var expiring = _db.QueryAsync(query, waitFor: _db.LastPosition + 1).AsTask();
        _time.Advance(TimeSpan.FromSeconds(15));
        Assert.True((await expiring).IsStale);
    }
}
