using System.Buffers;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <summary>
/// Subscriptions that give every version with the one before, and those that include other documents.
/// </summary>
public sealed partial class VersionSubscriptionTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database;
    private readonly SubscriptionHost _host;

    public VersionSubscriptionTests()
    {
        _database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                TimeProvider = _time,
                Revisions = new RevisionConfiguration
                {
                    Collections = new Dictionary<string, RevisionPolicy> { ["Orders"] = new() { Keep = 1 } },
                },
            }
        );
        _host = SubscriptionHost.Open(_database, _time);
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Fact]
    public async Task Every_version_comes_with_the_one_before_though_retention_wants_none()
    {
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Query = "from Orders (Revisions = true)" });
        await PutAsync("orders/1", 1);
        await PutAsync("orders/2", 1);
        await PutAsync("orders/1", 2);
        await _database.DeleteAsync("orders/1");
        await PutAsync("orders/1", 3);
        await _database.Revisions.TrimAsync();
        await using (var worker = await _host.ConnectAsync("s"))
        {
            List<string> given = [];
            while (await worker.NextAsync(untilEmpty: true) is { } batch)
            {
                given.AddRange(batch.Select(Text));
                await batch.AcknowledgeAsync();
            }

            Assert.Equal(
                [
                    "1 Put 1 after none",
                    "2 Put 1 after none",
                    "3 Put 2 after 1",
                    "4 Delete none after 2",
                    "5 Put 3 after none",
                ],
                given
            );
        }

        Assert.Equal(3, await _database.Revisions.TrimAsync());
    }

    [Fact]
    public async Task Deleting_or_changing_the_subscription_lets_go_of_the_versions()
    {
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "a",
                Collections = ["Orders"],
                Revisions = true,
            }
        );
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "b",
                Collections = ["Orders"],
                Revisions = true,
            }
        );
        for (var n = 0; n < 5; n++)
            await PutAsync("orders/1", n);
        await _host.UpdateAsync(new SubscriptionDefinition { Name = "a", Collections = ["Orders"] });
        Assert.Equal(0, await _database.Revisions.TrimAsync());
        await _host.MoveAsync("b", SubscriptionStart.After(3));
        Assert.Equal(2, await _database.Revisions.TrimAsync());
        Assert.True(await _host.DeleteAsync("b"));
        Assert.Equal(2, await _database.Revisions.TrimAsync());
    }

    [Fact]
    public async Task What_was_removed_before_is_not_known_and_said_to_be_so()
    {
        for (var n = 1; n < 4; n++)
            await PutAsync("orders/1", n);
        await PutAsync("orders/2", 1);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["orders"],
                Revisions = true,
            }
        );
        await using var worker = await _host.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal(["3 Put 3 after unknown", "4 Put 1 after none"], batch.Select(Text));
        using var snapshot = _database.OpenSnapshot();
        Assert.Contains("\"@previous\":\"unknown\"}}", Json(batch[0], snapshot), StringComparison.Ordinal);
        Assert.DoesNotContain("@previous", Json(batch[1], snapshot), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Conditions_name_current_and_previous()
    {
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Query =
                    "from Orders (Revisions = true) as o where o.Current.N > o.Previous.N or (Current = null and Previous.N > 5)",
            }
        );
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "first",
                Query = "from Orders where Previous = null and id() != 'orders/2'",
                Revisions = true,
            }
        );
        var batch = new DocumentBatch();
        foreach (var n in (int[])[3, 4, 2, 9])
            batch.Put("orders/1", Body(n, "Orders"));
        await _database.ExecuteAsync(batch.Put("orders/2", Body(1, "Orders")).Delete("orders/1").Delete("orders/2"));
        Assert.Equal(
            ["2 Put 4 after 3", "4 Put 9 after 2", "6 Delete none after 9"],
            (await NextAsync("s")).Select(Text)
        );
        Assert.Equal(["1 Put 3 after none"], (await NextAsync("first")).Select(Text));
    }

    [Theory]
    [InlineData(
        "from Orders (Revisions = true) where N > 3",
        "'N' begins with none of Current, Previous; write Current.N"
    )]
    [InlineData(
        "from Orders (Revisions = true) as o where o.Current.Lines.some(l => l.Price > M)",
        "'M' begins with none of Current, Previous, o; write o.Current.M"
    )]
    [InlineData("from Orders (Revisions = 1)", "'true' or 'false' is expected")]
    [InlineData("from Others (Revisions = true)", "the database keeps none of Others")]
    [InlineData("from Orders include load(Company)", "include load(Company) is not supported here")]
    public async Task What_cannot_be_is_refused_with_a_mend(string query, string message)
    {
        var wrong = await Assert.ThrowsAsync<SubscriptionException>(() =>
            _host.CreateAsync(new SubscriptionDefinition { Name = "t", Query = query })
        );
        Assert.Contains(message, wrong.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_pair_is_written_as_json()
    {
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["Orders"],
                Revisions = true,
            }
        );
        await _database.ExecuteAsync(new DocumentBatch().Put("orders/1", Body(1, "Orders")).Delete("orders/1"));
        var batch = await NextAsync("s");
        using var snapshot = _database.OpenSnapshot();
        string Metadata(int position, string more = "") =>
            $$"""{"@id":"orders/1","@collection":"Orders","@change-vector":"A:{{position}}-{{_database.Id}}","@last-modified":"{{batch[0].LastModified.UtcDateTime:O}}"{{more}}}""";
        var first = $$"""{"@metadata":{{Metadata(1)}},"N":1}""";
        Assert.Equal(
            $$"""{"Current":{{first}},"Previous":null,"@metadata":{{Metadata(1)}}}""",
            Json(batch[0], snapshot)
        );
        Assert.Equal(
            $$"""{"Current":null,"Previous":{{first}},"@metadata":{{Metadata(2, ",\"@deleted\":true")}}}""",
            Json(batch[1], snapshot)
        );
    }

    [Fact]
    public async Task Versions_are_not_held_where_for_long_nothing_was_given()
    {
        await _host.CreateAsync(
            new SubscriptionDefinition { Name = "s", Query = "from Orders (Revisions = true) where Current.N < 0" }
        );
        for (var i = 0; i < 30; i++)
        {
            var batch = new DocumentBatch();
            for (var n = 0; n < 100; n++)
                batch.Put("orders/1", Body(n, "Orders"));
            await _database.ExecuteAsync(batch);
        }

        await using var worker = await _host.ConnectAsync("s");
        Assert.Null(await worker.NextAsync(untilEmpty: true));
        await _host.PauseAsync("s");
        using var snapshot = _database.OpenSnapshot();
        Assert.InRange(Assert.Single(snapshot.GetRevisionHolds()).Position, 2000, 3000);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task No_version_is_skipped_whatever_is_removed_meanwhile(int seed)
    {
        var random = new Random(seed);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["Orders"],
                Revisions = true,
            }
        );
        List<string> log = [],
            given = [];
        var now = new Dictionary<string, int>();
        var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 7 });
        for (var round = 0; round < 60; round++)
        {
            for (var i = random.Next(8); i >= 0; i--)
            {
                var id = $"orders/{random.Next(6)}";
                var before = now.TryGetValue(id, out var former) ? $"{former}" : "none";
                if (random.Next(5) == 0)
                {
                    if (await _database.DeleteAsync(id))
                        log.Add($"{_database.LastPosition} Delete none after {before}");
                    now.Remove(id);
                }
                else
                {
                    await PutAsync(id, now[id] = random.Next(1000));
                    log.Add($"{_database.LastPosition} Put {now[id]} after {before}");
                }
            }

            if (random.Next(3) == 0)
                await _database.Revisions.TrimAsync();
            if (random.Next(6) == 0)
            {
                await worker.DisposeAsync();
                worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 7 });
            }

            if (random.Next(2) == 0)
                continue;
            var batch = (await worker.NextAsync(untilEmpty: true))!;
            if (batch is null)
                continue;
            given.AddRange(batch.Select(Text));
            await batch.AcknowledgeAsync();
        }

        while (await worker.NextAsync(untilEmpty: true) is { } rest)
        {
            given.AddRange(rest.Select(Text));
            await rest.AcknowledgeAsync();
        }

        await worker.DisposeAsync();
        Assert.Equal(log, given);
        await _database.Revisions.TrimAsync();
        using var snapshot = _database.OpenSnapshot();
        Assert.Equal(0, snapshot.GetStatistics().Revisions);
    }

    /// <summary>The first batch, of a worker that leaves.</summary>
    private async Task<SubscriptionBatch> NextAsync(string name)
    {
        await using var worker = await _host.ConnectAsync(name);
        return (await worker.NextAsync())!;
    }

    private static string Text(SubscriptionItem item)
    {
        var current = item.Kind == ChangeKind.Put ? item.Body.Root["N"].ToString()! : "none";
        return $"{item.Position} {item.Kind} {current} after {(item.Previous is { } previous ? previous.Body.Root["N"].ToString() : item.PreviousIsKnown ? "none" : "unknown")}";
    }

    private static string Json(SubscriptionItem item, DatabaseSnapshot snapshot)
    {
        var text = new ArrayBufferWriter<byte>();
        item.WriteJson(snapshot, text);
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }

    private Task<PutResult> PutAsync(string id, int n) => _database.PutAsync(id, Body(n, "Orders"));

    private static byte[] Body(int n, string collection) =>
        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"{{{collection}}}"}}""");
}
