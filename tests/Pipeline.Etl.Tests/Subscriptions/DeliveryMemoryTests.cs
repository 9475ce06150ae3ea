using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <summary>
/// How long a delivered batch stays readable, and how a change that fails for long affects the others.
/// </summary>
public sealed class DeliveryMemoryTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database;
    private SubscriptionHost _host;

    public DeliveryMemoryTests()
    {
        _database = DocumentDatabase.Open(new DatabaseOptions { Name = "test", TimeProvider = _time });
        _host = SubscriptionHost.Open(_database, _time);
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Fact]
    public async Task One_poisoned_key_lets_everything_else_go_on_beyond_what_is_read_ahead()
    {
        const int Count = 20_000;
        const string Poisoned = "as/17";
        await StoreAsync(1, Count);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                MaxAttempts = 100,
                RetryDelay = TimeSpan.FromHours(1),
                MaxRetryDelay = TimeSpan.FromHours(1),
            }
        );
        using var done = new CancellationTokenSource();
        await Task.WhenAll(WorkAsync("a"), WorkAsync("b")).WaitAsync(TimeSpan.FromMinutes(2));
        var status = _host.GetStatus("s")[0];
        Assert.Equal((16L, Count - 1L, 1), (status.Position, status.Acknowledged, status.Retrying));

        await _host.DisposeAsync();
        _host = SubscriptionHost.Open(_database, _time);
        await using var worker = await _host.ConnectAsync("s");
        var left = (await worker.NextAsync())!;
        Assert.Equal(Poisoned, Assert.Single(left).Id);
        await left.AcknowledgeAsync();
        Assert.Null(await worker.NextAsync(untilEmpty: true));
        Assert.Equal(Count, _host.GetStatus("s")[0].Position);

        async Task WorkAsync(string name)
        {
            await using var worker = await _host.ConnectAsync(
                "s",
                new SubscriptionWorkerOptions { Name = name, Strategy = WorkerStrategy.Concurrent }
            );
            try
            {
                await foreach (var batch in worker.ReadAllAsync(ct: done.Token))
                {
                    foreach (var item in batch.Where(i => i.Id == Poisoned))
                        batch.Reject(item, "poison");
                    await batch.AcknowledgeAsync();
                    if (_host.GetStatus("s")[0].Acknowledged == Count - 1)
                        await done.CancelAsync();
                }
            }
            catch (OperationCanceledException)
            {
                Assert.True(done.IsCancellationRequested);
            }
        }
    }

    [Fact]
    public async Task A_worker_that_lost_its_lease_still_sees_its_own_documents()
    {
        await StoreAsync(1, 1000);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        await using var silent = await _host.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { Lease = TimeSpan.FromSeconds(10) }
        );
        var lost = (await silent.NextAsync())!;
        var kept = lost[7];
        _time.Advance(TimeSpan.FromSeconds(11));
        await using var other = await _host.ConnectAsync("s");
        for (var from = 1; from <= 4001; from += 1000)
        {
            var batch = (await other.NextAsync())!;
            Assert.Equal(from, batch[0].Position);
            await batch.AcknowledgeAsync();
            await StoreAsync(from + 1000, from + 1999);
        }

        Assert.Equal(("as/8", """{"N":8}"""), (kept.Id, kept.Body.ToString()));
        Assert.Equal(("as/1000", """{"N":1000}"""), (lost[999].Id, lost[999].Body.ToString()));
    }

    [Fact]
    public async Task What_was_acknowledged_cannot_be_looked_at_any_more()
    {
        await StoreAsync(1, 3);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        var item = batch[0];
        await batch.AcknowledgeAsync();
        Assert.Equal((3, 3L), (batch.Count, batch.LastPosition));
        Assert.Throws<InvalidOperationException>(() => item.Id);
        Assert.Throws<InvalidOperationException>(() => batch[0]);
        await Assert.ThrowsAsync<InvalidOperationException>(() => batch.AcknowledgeAsync());
    }

    private async Task StoreAsync(int from, int to)
    {
        await using var bulk = _database.BeginBulkInsert();
        for (var i = from; i <= to; i++)
        {
            var json = string.Create(
                CultureInfo.InvariantCulture,
                $$$"""{"N":{{{i}}},"@metadata":{"@collection":"As"}}"""
            );
            await bulk.StoreAsync(string.Create(CultureInfo.InvariantCulture, $"as/{i}"), Encoding.UTF8.GetBytes(json));
        }

        await bulk.CompleteAsync();
    }
}
