using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <summary>What subscriptions cost that no worker uses.</summary>
public sealed class SubscriptionMemoryTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = DocumentDatabase.Open(new DatabaseOptions { Name = "test" });

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task A_database_has_no_more_subscriptions_than_the_limit()
    {
        await using var host = SubscriptionHost.Open(_database, new SubscriptionHostOptions { MaxSubscriptions = 2 });
        await host.CreateAsync(new SubscriptionDefinition { Name = "a", Query = "from Users" });
        await host.CreateAsync(new SubscriptionDefinition { Name = "b", Query = "from Users" });
        var refused = await Assert.ThrowsAsync<SubscriptionException>(() =>
            host.CreateAsync(new SubscriptionDefinition { Name = "c", Query = "from Users" })
        );
        Assert.Equal(SubscriptionProblem.Invalid, refused.Problem);
        Assert.Contains(
            "2 subscriptions (SubscriptionHostOptions.MaxSubscriptions)",
            refused.Message,
            StringComparison.Ordinal
        );
        await host.DeleteAsync("a");
        await host.CreateAsync(new SubscriptionDefinition { Name = "c", Query = "from Users" });
        Assert.Equal(["b", "c"], host.Names());
    }

    [Fact]
    public async Task Subscriptions_that_exist_are_opened_beyond_the_limit()
    {
        await using (var host = SubscriptionHost.Open(_database))
        {
            await host.CreateAsync(new SubscriptionDefinition { Name = "a", Query = "from Users" });
            await host.CreateAsync(new SubscriptionDefinition { Name = "b", Query = "from Users" });
        }

        await using var smaller = SubscriptionHost.Open(
            _database,
            new SubscriptionHostOptions { MaxSubscriptions = 1 }
        );
        Assert.Equal(["a", "b"], smaller.Names());
    }

    [Fact]
    public void Each_reads_less_ahead_the_more_there_are()
    {
        var share = new ReadAheadShare(128 << 20);
        Assert.Equal(ReadAheadShare.MaxBytes, share.Bytes);
        for (var i = 0; i < 4; i++)
            share.Join();
        Assert.Equal(ReadAheadShare.MaxBytes, share.Bytes);
        for (var i = 4; i < 1024; i++)
            share.Join();
        Assert.Equal(128 << 10, share.Bytes);
        for (var i = 0; i < 1024; i++)
            share.Leave();
        Assert.Equal(ReadAheadShare.MaxBytes, share.Bytes);
    }

    [Fact]
    public async Task A_few_changes_among_many_do_not_keep_the_others_in_memory()
    {
        await using (var bulk = _database.BeginBulkInsert())
        {
            for (var i = 1; i <= 5_000; i++)
            {
                await bulk.StoreAsync(
                    "users/" + i,
                    Encoding.UTF8.GetBytes(
                        $$$"""{"Rare":{{{(i % 500 == 0 ? "true" : "false")}}},"@metadata":{"@collection":"Users"}}"""
                    )
                );
            }
        }

        var definition = new SubscriptionDefinition { Name = "rare", Query = "from Users where Rare = true" };
        await using var subscription = new Subscription(
            _database,
            definition,
            SubscriptionCheckpoint.At(0),
            TimeProvider.System,
            new SubscriptionEvents(TimeProvider.System),
            new ReadAheadShare(128 << 20)
        );
        subscription.Start();
        while (subscription.GetStatus().Waiting < 10 || subscription.SharedBatches > 0)
            await Task.Yield();
        Assert.Equal(10, subscription.GetStatus().Waiting);
    }
}
