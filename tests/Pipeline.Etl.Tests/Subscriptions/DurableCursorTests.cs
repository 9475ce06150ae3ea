using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

public sealed class DurableCursorTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = DocumentDatabase.Open(new DatabaseOptions { Name = "test" });
    private readonly DatabaseChangeFeed _feed;

    public DurableCursorTests() => _feed = new DatabaseChangeFeed(_database);

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task Reads_in_order_and_acknowledges_durably()
    {
        await PutAsync("As", 1, 10);
        var cursor = Open();
        using (var batch = cursor.ReadBatch(0, 4, long.MaxValue))
        {
            Assert.Equal(["as/1", "as/2", "as/3", "as/4"], batch.Changes.Select(c => c.Document.Id));
            Assert.False(batch.IsAtEnd);
            await cursor.AcknowledgeAsync(batch.Position, [], default);
        }

        var again = Open();
        Assert.Equal(cursor.Position, again.Position);
        using var rest = again.ReadBatch(again.Position, 100, long.MaxValue);
        Assert.Equal(6, rest.Changes.Count);
        Assert.True(rest.IsAtEnd);
    }

    [Fact]
    public async Task A_batch_that_is_not_acknowledged_comes_again()
    {
        await PutAsync("As", 1, 3);
        using (var batch = Open().ReadBatch(0, 3, long.MaxValue))
            Assert.Equal(3, batch.Changes.Count);
        using var second = Open().ReadBatch(Open().Position, 3, long.MaxValue);
        Assert.Equal(3, second.Changes.Count);
    }

    [Fact]
    public async Task What_does_not_match_moves_the_position_without_being_given()
    {
        await PutAsync("As", 1, 1);
        await PutAsync("Bs", 1, 50);
        using var batch = Open().ReadBatch(0, 100, long.MaxValue);
        Assert.Single(batch.Changes);
        Assert.Equal(_database.LastPosition, batch.Position);
    }

    [Fact]
    public async Task Bytes_close_a_batch_and_one_change_always_comes()
    {
        await PutAsync("As", 1, 10);
        using var one = Open().ReadBatch(0, 100, 1);
        Assert.Single(one.Changes);
        Assert.Equal(one.Changes[0].Position, one.Position);
    }

    [Fact]
    public async Task The_position_and_the_documents_beside_it_are_one_commit_and_the_state_makes_no_change()
    {
        await PutAsync("As", 1, 2);
        var cursor = Open();
        var before = _database.LastPosition;
        await cursor.AcknowledgeAsync(before, [], default);
        Assert.Equal(before, _database.LastPosition);
        await cursor.AcknowledgeAsync(
            before,
            [new("d/1", Encoding.UTF8.GetBytes("""{"@metadata":{"@collection":"DeadLetters"}}"""))],
            default
        );
        Assert.Equal(before + 1, _database.LastPosition);
        Assert.Equal(before, Open().Position);
        using var snapshot = _database.OpenSnapshot();
        Assert.True(snapshot.TryGet("d/1", out _));
    }

    [Fact]
    public async Task A_lower_position_never_moves_it_back()
    {
        await PutAsync("As", 1, 5);
        var cursor = Open();
        await cursor.AcknowledgeAsync(5, [], default);
        await cursor.AcknowledgeAsync(2, [], default);
        Assert.Equal(5, cursor.Position);
        Assert.Equal(5, Open().Position);
    }

    [Theory]
    [InlineData("nonsense", "it is not a position")]
    [InlineData("{\"version\":9,\"position\":1}", "it has version 9, but this program supports version 1")]
    public async Task State_that_is_no_position_is_refused(string state, string reason)
    {
        await _database.WriteAsync(t => t.SetState("etl/t", Encoding.UTF8.GetBytes(state)));
        var e = Assert.Throws<CursorStateException>(Open);
        Assert.Equal(
            $"The position of 'etl/t' cannot be read: {reason}. A newer program may have written it.",
            e.Message
        );
    }

    private DurableCursor Open() => DurableCursor.Open(_feed, "etl/t", new CursorFilter(["As"], Deletes: false));

    private Task PutAsync(string collection, int from, int count) =>
        _database.WriteAsync(t =>
        {
            for (var n = from; n < from + count; n++)
            {
                t.Put(
                    $"{collection.ToLowerInvariant()}/{n}",
                    Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"{{collection}}"} }""")
                );
            }
        });
}
