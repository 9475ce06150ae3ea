using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

public sealed partial class SubscriptionTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database;
    private readonly SubscriptionHost _host;

    public SubscriptionTests()
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
    public async Task A_new_name_keeps_the_position_and_survives_reopening()
    {
        await PutAsync("As", 1, 3);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "old", Collections = ["as"] });
        await _host.CreateAsync(new SubscriptionDefinition { Name = "other", Collections = ["as"] });
        await using (var worker = await _host.ConnectAsync("old", new SubscriptionWorkerOptions { MaxBatchCount = 2 }))
        {
            await (await worker.NextAsync())!.AcknowledgeAsync();
        }

        await Assert.ThrowsAsync<SubscriptionException>(() => _host.RenameAsync("old", "Other"));
        await _host.RenameAsync("OLD", "new");
        await Assert.ThrowsAsync<SubscriptionException>(() => _host.ConnectAsync("old"));
        await using var again = SubscriptionHost.Open(_database, _time);
        Assert.Equal(["new", "other"], again.Names());
        await using var next = await again.ConnectAsync("new");
        Assert.Equal([3L], (await next.NextAsync())!.Select(i => i.Position));
        Assert.Equal(
            ["subscription/new", "subscription/other"],
            _database.Consumers.GetStatus().Select(c => c.Name).Order()
        );
    }

    [Fact]
    public async Task Changes_come_in_order_and_once_over_reopening()
    {
        await PutAsync("As", 1, 25);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Collections = ["as"] });
        await using (var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 10 }))
        {
            var first = (await worker.NextAsync())!;
            Assert.Equal(Enumerable.Range(1, 10).Select(i => (long)i), first.Select(i => i.Position));
            Assert.Equal("""{"N":1}""", first[0].Body.ToString());
            await first.AcknowledgeAsync();
            Assert.Equal(10, (await worker.NextAsync())!.Count);
        }

        await using var again = SubscriptionHost.Open(_database, _time);
        await using var other = await again.ConnectAsync("S");
        var rest = (await other.NextAsync())!;
        Assert.Equal((11L, 25L), (rest[0].Position, rest.LastPosition));
        await rest.AcknowledgeAsync();
        Assert.Null(await other.NextAsync(untilEmpty: true));
    }

    [Fact]
    public async Task A_change_that_is_given_back_comes_at_once_and_counts_no_attempt()
    {
        await PutAsync("As", 1, 3);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", MaxAttempts = 1 });
        await using var worker = await _host.ConnectAsync("s");
        for (var round = 0; round < 3; round++)
        {
            var batch = (await worker.NextAsync())!;
            Assert.Equal([(1L, 0), (2L, 0), (3L, 0)], batch.Select(i => (i.Position, i.Attempts)));
            foreach (var item in batch)
                batch.Release(item);
            await batch.AcknowledgeAsync();
        }

        var last = (await worker.NextAsync())!;
        last.Release(last[0]);
        last.Reject(last[1], "bad");
        await last.AcknowledgeAsync();
        var status = _host.GetStatus("s")[0];
        Assert.Equal((0L, 1L, "bad"), (status.Position, status.Parked, status.LastError));
        await (await worker.NextAsync())!.AcknowledgeAsync();
        Assert.Null(await worker.NextAsync(untilEmpty: true));
    }

    [Fact]
    public async Task What_is_written_while_a_worker_waits_comes_at_once()
    {
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Deletes = true });
        await using var worker = await _host.ConnectAsync("s");
        var next = worker.NextAsync();
        Assert.False(next.IsCompleted);
        await PutAsync("As", 1, 1);
        var put = (await next)!;
        Assert.Equal(ChangeKind.Put, put[0].Kind);
        await put.AcknowledgeAsync();
        await _database.DeleteAsync("as/1");
        var deleted = (await worker.NextAsync())!;
        Assert.Equal((ChangeKind.Delete, "as/1"), (deleted[0].Kind, deleted[0].Id));
    }

    [Fact]
    public async Task Filter_and_projection_see_the_document_and_others()
    {
        await _database.PutAsync("c/1", """{"Name":"Around","@metadata":{"@collection":"Companies"}}"""u8.ToArray());
        await _database.PutAsync(
            "o/1",
            """{"Company":"c/1","Total":5,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await _database.PutAsync(
            "o/2",
            """{"Company":"c/1","Total":50,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["Orders"],
                Filter = "doc.Total > 10",
                Projection = "new { Id = id, Company = load(doc.Company).Name }",
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal(
            """{"Id":"o/2","Company":"Around"}""",
            Encoding.UTF8.GetString(Assert.Single(batch).Projected.Span)
        );
        var wrong = await Assert.ThrowsAsync<SubscriptionException>(() =>
            _host.CreateAsync(new SubscriptionDefinition { Name = "t", Filter = "doc.Total >" })
        );
        Assert.Equal(SubscriptionProblem.Invalid, wrong.Problem);
    }

    [Fact]
    public async Task A_query_says_which_documents_are_given()
    {
        for (var i = 1; i <= 4; i++)
        {
            await _database.PutAsync(
                string.Create(CultureInfo.InvariantCulture, $"o/{i}"),
                Encoding.UTF8.GetBytes(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $$$"""{"Company":"c/{{{i % 2}}}","N":{{{i}}},"@metadata":{"@collection":"Orders"}}"""
                    )
                )
            );
        }

        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Query = "from Orders as o where o.Company = 'c/1' and o.N > 1 or id(o) = 'o/4'",
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        Assert.Equal(["o/3", "o/4"], (await worker.NextAsync())!.Select(i => i.Id));
        var wrong = await Assert.ThrowsAsync<SubscriptionException>(() =>
            _host.CreateAsync(new SubscriptionDefinition { Name = "t", Query = "from Orders order by N" })
        );
        Assert.Contains(
            "'order by' has no meaning where documents are tried one by one",
            wrong.Message,
            StringComparison.Ordinal
        );
        var both = await Assert.ThrowsAsync<SubscriptionException>(() =>
            _host.CreateAsync(
                new SubscriptionDefinition
                {
                    Name = "t",
                    Query = "from Orders",
                    Filter = "true",
                }
            )
        );
        Assert.Contains("give either", both.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_filter_that_throws_parks_the_document_and_goes_on()
    {
        await PutAsync("As", 1, 3);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["As"],
                Filter = "10 / ((int)doc.N - 2) != 100",
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal([1L, 3L], batch.Select(i => i.Position));
        await batch.AcknowledgeAsync();
        Assert.Null(await worker.NextAsync(untilEmpty: true));
        using var snapshot = _database.OpenSnapshot();
        Assert.True(snapshot.TryGet("deadletters/@s/2", out var letter));
        Assert.Equal("filter", letter.Body.Root["Kind"].GetString());
    }

    [Fact]
    public async Task A_rejected_change_comes_again_after_its_wait_and_is_then_parked()
    {
        await PutAsync("As", 1, 3);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["As"],
                MaxAttempts = 2,
                RetryDelay = TimeSpan.FromSeconds(2),
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        var first = (await worker.NextAsync())!;
        first.Reject(first[1], "no");
        await first.AcknowledgeAsync();
        Assert.Equal((1L, 1), (_host.GetStatus("s")[0].Position, _host.GetStatus("s")[0].Retrying));

        var next = worker.NextAsync(untilEmpty: true);
        Assert.False(next.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(3));
        var second = (await next)!;
        Assert.Equal((2L, 1), (Assert.Single(second).Position, second[0].Attempts));
        second.Reject(second[0], "still not");
        await second.AcknowledgeAsync();
        Assert.Null(await worker.NextAsync(untilEmpty: true));

        using (var snapshot = _database.OpenSnapshot())
        {
            Assert.True(snapshot.TryGet("deadletters/@s/2", out var letter));
            Assert.Equal(
                ("rejected", "still not", "2"),
                (
                    letter.Body.Root["Kind"].GetString(),
                    letter.Body.Root["Error"]["Message"].GetString(),
                    letter.Body.Root["Attempts"].ToString()
                )
            );
        }

        Assert.Equal((4L, 1L), (_host.GetStatus("s")[0].Position, _host.GetStatus("s")[0].Parked));
        await _host.RetryParkedAsync("s", 2);
        await using var later = await _host.ConnectAsync("s");
        var again = (await later.NextAsync())!;
        Assert.Equal("as/2", Assert.Single(again).Id);
        await again.AcknowledgeAsync();
        Assert.Null(await later.NextAsync(untilEmpty: true));
    }

    [Fact]
    public async Task Later_changes_of_a_parked_key_are_held_where_asked()
    {
        await PutAsync("As", 1, 2);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["As"],
                MaxAttempts = 1,
                HoldParkedKeys = true,
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        batch.Reject(batch[0], "no");
        await batch.AcknowledgeAsync();
        await PutAsync("As", 1, 3);
        var seen = new List<string>();
        await foreach (var later in worker.ReadAllAsync(untilEmpty: true))
        {
            seen.AddRange(later.Select(i => i.Id));
            await later.AcknowledgeAsync();
        }

        Assert.Equal(["as/2", "as/3"], seen);
        using var snapshot = _database.OpenSnapshot();
        Assert.Equal(
            ["rejected", "held"],
            snapshot
                .GetByPrefix("deadletters/@s/")
                .OrderBy(d => d.Position)
                .Select(d => d.Body.Root["Kind"].GetString())
        );
        Assert.Equal(1, _host.GetStatus("s")[0].HeldKeys);
    }

    [Fact]
    public async Task An_effect_and_the_acknowledgement_are_one_commit()
    {
        await PutAsync("As", 1, 2);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Collections = ["As"] });
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            batch.AcknowledgeAsync(_ => throw new InvalidOperationException("no"))
        );
        Assert.Equal(0, _host.GetStatus("s")[0].Position);
        await batch.AcknowledgeAsync(transaction => transaction.Put("sum", """{"Sum":3}"""u8));
        using var snapshot = _database.OpenSnapshot();
        Assert.True(snapshot.TryGet("sum", out _));
        Assert.Equal(2, SubscriptionCheckpoint.Parse("s", snapshot.GetState(Subscription.CheckpointKey("s"))).Position);
    }

    private async Task PutAsync(string collection, int from, int to)
    {
        for (var i = from; i <= to; i++)
        {
            var json = string.Create(
                CultureInfo.InvariantCulture,
                $$$"""{"N":{{{i}}},"@metadata":{"@collection":"{{{collection}}}"}}"""
            );
            await _database.PutAsync(
                string.Create(CultureInfo.InvariantCulture, $"{collection.ToLowerInvariant()}/{i}"),
                Encoding.UTF8.GetBytes(json)
            );
        }
    }
}
