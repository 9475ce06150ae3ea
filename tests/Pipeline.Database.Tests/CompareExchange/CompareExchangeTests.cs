using System.Text;
using Pipeline.Documents;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests.CompareExchange;

public sealed class CompareExchangeTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = TestDatabase.Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public Task DisposeAsync() => _database.DisposeAsync().AsTask();

    [Fact]
    public async Task A_value_is_set_replaced_and_deleted_only_by_who_knows_its_index()
    {
        var made = await PutAsync("Emails/a", "\"users/1\"", 0);
        Assert.Equal((true, 1L), (made.Successful, made.Index));
        var refused = await PutAsync("emails/A", "\"users/2\"", 0);
        Assert.Equal(
            (false, 1L, "\"users/1\"", "Emails/a"),
            (refused.Successful, refused.Index, refused.Current!.Value.ToString(), refused.Current.Key)
        );
        var set = await PutAsync("emails/a", """{"N":[1,null]}""", 1);
        Assert.Equal((true, 2L), (set.Successful, set.Index));

        Assert.False((await DeleteAsync("emails/a", 1)).Successful);
        Assert.True((await DeleteAsync("emails/a", 2)).Successful);
        Assert.Equal(
            (true, 0L),
            ((await DeleteAsync("emails/a", 2)).Successful, (await DeleteAsync("emails/a", 2)).Index)
        );
        Assert.True((await PutAsync("emails/a", "1", 0)).Index > 2);
        await Assert.ThrowsAsync<CompareExchangeKeyException>(() => PutAsync(new string('x', 513), "1", 0));
    }

    [Fact]
    public async Task Values_are_found_by_prefix_in_a_snapshot_and_are_no_documents()
    {
        foreach (var key in (string[])["b/2", "a/1", "B/1"])
            await PutAsync(key, "true", 0);
        using var snapshot = _database.OpenSnapshot();
        await PutAsync("b/3", "true", 0);
        Assert.Equal(["B/1", "b/2"], snapshot.GetCompareExchangeByPrefix("b/").Select(v => v.Key));
        Assert.Equal(3, snapshot.GetCompareExchangeByPrefix("").Count());
        Assert.Equal(0, _database.LastPosition);
        Assert.Null(snapshot.GetCompareExchange("b/3"));
    }

    [Fact]
    public async Task A_batch_is_done_with_all_its_values_or_not_at_all()
    {
        await PutAsync("lock", "1", 0);
        var error = await Assert.ThrowsAsync<CompareExchangeException>(() =>
            _database.ExecuteAsync(
                new DocumentBatch()
                    .Put("a", "{}"u8)
                    .CompareExchange("other", Json("2"), 0)
                    .CompareExchange("lock", Json("2"), 7)
            )
        );
        Assert.Equal(("lock", 7L, 1L), (error.Key, error.Expected, error.Actual));
        Assert.Equal(0, _database.LastPosition);

        var results = await _database.ExecuteAsync(
            new DocumentBatch().Put("a", "{}"u8).CompareExchange("other", Json("2"), 0).CompareExchange("lock", null, 1)
        );
        Assert.Equal(["other", "lock"], results.Skip(1).Select(r => r.Id));
        using var snapshot = _database.OpenSnapshot();
        Assert.Equal("other", Assert.Single(snapshot.GetCompareExchangeByPrefix("")).Key);
    }

    [Fact]
    public async Task Of_many_who_want_the_same_one_gets_it()
    {
        var results = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => PutAsync("leader", $"{i}", 0)));
        Assert.Equal(1, results.Count(r => r.Successful));
    }

    private static BinaryJson Json(string text) => BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(text));

    private Task<CompareExchangeResult> PutAsync(string key, string json, long index) =>
        _database.WriteAsync(t => t.PutCompareExchange(key, Json(json), index));

    private Task<CompareExchangeResult> DeleteAsync(string key, long index) =>
        _database.WriteAsync(t => t.DeleteCompareExchange(key, index));
}
