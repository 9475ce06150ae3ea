using System.Collections.Concurrent;
using System.Text;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>Databases over a shared log: every kind of operation, with changes of leader.</summary>
public sealed partial class DatabaseReplicationTests(ITestOutputHelper output) : IDisposable
{
    private const int Clients = 12;
    private readonly CancellationTokenSource _late = new(TimeSpan.FromMinutes(Operations > 5000 ? 40 : 2));

    private static int Operations => RunSetting.Read("PIPELINE_OPERATIONS", 2000);

    private static int Seed => RunSetting.Read("PIPELINE_SEED", 1);

    private CancellationToken Late => _late.Token;

    public void Dispose() => _late.Dispose();

    [Fact]
    public async Task Random_operations_with_changes_of_leader_give_equal_databases()
    {
        var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log);
        var random = new Random(Seed);
        await PrepareAsync(cluster);
        var clients = Enumerable
            .Range(0, Clients)
            .Select(c => new RandomOperations(cluster, c, (Seed * 1000) + c, Late))
            .ToList();
        var rounds = Math.Max(4, Operations / 1000);
        var (changes, restarts, refills, moves, purged) = (0, 0, 0, 0, 0L);
        var delivered = new ConcurrentDictionary<string, bool>();
        for (var round = 0; round < rounds; round++)
        {
            var running = Task.WhenAll(
                clients.Select(c => c.RunAsync(((Operations / rounds) + Clients - 1) / Clients))
            );
            var fed = DeliverAsync(cluster, delivered, running);
            if (await ChangeLeaderAsync(cluster, random, round))
                changes++;
            await running;
            await fed;
            if (round % 4 == 3)
            {
                await cluster.Members[random.Next(3)].RestartAsync();
                restarts++;
            }
            if (round % 4 == 1)
            {
                await RefillAsync(cluster, log, random);
                refills++;
                Assert.True((await log.GetBoundsAsync(Late)).First > 0, "the log was not trimmed");
            }
            if (round % 4 == 2)
            {
                log = new MemoryLog();
                await cluster.MoveAsync(log, random, Late);
                moves++;
            }
            await cluster.CompareAsync(Late);
            foreach (var member in cluster.Members)
                clients.ForEach(c => c.Verify(member));
            // As far as the purge of an earlier round might have gone; all indexes have passed that.
            purged += await cluster.DoAsync(m => m.Database.Consumers.PurgeAsync(Late), Late);
        }
        await DeliverAsync(cluster, delivered, Task.CompletedTask);
        await ExpectDeliveredAsync(cluster, delivered);
        await cluster.CompareAsync(Late);
        foreach (
            var (kind, count) in clients
                .SelectMany(c => c.Done)
                .GroupBy(d => d.Key, d => d.Value)
                .Select(g => (g.Key, g.Sum()))
        )
        {
            output.WriteLine($"{kind}: {count}");
        }
        output.WriteLine(
            $"{changes} changes of leader, {restarts} restarts, {refills} refills, {moves} moves, log from {(await log.GetBoundsAsync(Late)).First}, {purged} tombstones purged, {delivered.Count} fed, position {cluster.Members[0].Database.LastPosition}, transaction {cluster.Members[0].Database.Storage.LastCommittedTransaction}, epoch {cluster.Members[0].Driver.Status.Epoch}"
        );
        Assert.True(changes > 0, "no leader was changed");
        // They come in the second and third round, so many operations follow each.
        Assert.True(refills > 0 && moves > 0, $"{refills} nodes were filled, {moves} logs ended");
        foreach (var member in cluster.Members)
        {
            var report = await member.CheckAsync();
            Assert.True(report.IsSound, string.Join("\n", report.Problems));
        }
    }

    [Theory]
    [InlineData(nameof(StaleCache.Revisions))]
    [InlineData(nameof(StaleCache.Expiration))]
    [InlineData(nameof(StaleCache.Lineages))]
    [InlineData(nameof(StaleCache.Indexes))]
    public async Task A_cache_that_is_not_refreshed_is_found(string planted)
    {
        var fault = Enum.Parse<StaleCache>(planted);
        await using var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log, fault);
        await PrepareAsync(cluster);
        await Assert.ThrowsAnyAsync<Xunit.Sdk.XunitException>(async () =>
        {
            await cluster.DoAsync(
                async m =>
                {
                    await m.Database.Revisions.ConfigureAsync(
                        new RevisionConfiguration { Default = new RevisionPolicy { Keep = 9 } },
                        Late
                    );
                    await m.Database.Expiration.ConfigureAsync(
                        new ExpirationConfiguration(TimeSpan.FromSeconds(77)),
                        Late
                    );
                    await m.Database.BeginLineageAsync(m.Database.Lineages, 1, "a test", Late);
                    await m.Database.Indexes.PutAsync(
                        new IndexDefinition { Name = "late", Maps = ["from t in docs.Things select new { t.N }"] },
                        Late
                    );
                    return true;
                },
                Late
            );
            await cluster.CompareAsync(Late);
        });
    }

    [Fact]
    public async Task A_follower_answers_queries_at_a_position_and_refuses_changes_by_naming_the_leader()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log);
        await PrepareAsync(cluster);
        var put = await cluster.DoAsync(
            m => m.Database.PutAsync("things/1", "{\"N\":1,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray()),
            Late
        );
        var leader = await cluster.LeaderAsync(Late);
        var follower = cluster.Members.First(m => m != leader);
        await follower.Database.WaitForPositionAsync(put.Position, Late);
        var found = await follower.Database.QueryAsync("from index 'things' where N = 1", put.Position, Late);
        Assert.Equal("things/1", Assert.Single(found.Items).Id);
        Func<Task>[] changes =
        [
            () => follower.Database.PutAsync("things/2", "{}"u8.ToArray()),
            () => follower.Database.Indexes.DeleteAsync("things"),
            () => follower.Database.Indexes.DeleteAsync("none"),
            () => follower.Database.Revisions.ConfigureAsync(RevisionConfiguration.None),
            () => follower.Database.Expiration.ConfigureAsync(ExpirationConfiguration.None),
            () => follower.Database.Attachments.PutAsync("things/1", "a", new MemoryStream(new byte[700_000])),
            () => follower.Database.QueryAsync("from Things where N = 1 and Text = 'a'").AsTask(),
        ];
        foreach (var change in changes)
        {
            var refused = await Assert.ThrowsAsync<NotLeaderException>(change);
            Assert.Equal(leader.Name, refused.Leader);
        }
        Assert.Throws<NotLeaderException>(() => follower.Database.OpenNewestSnapshot());
    }

    private Task<bool> PutIndexAsync(DatabaseCluster cluster) =>
        cluster.DoAsync(
            async m =>
            {
                await m.Database.Indexes.PutAsync(
                    new IndexDefinition { Name = "things", Maps = ["from t in docs.Things select new { t.N }"] },
                    Late
                );
                return true;
            },
            Late
        );

    private async Task PrepareAsync(DatabaseCluster cluster)
    {
        await PutIndexAsync(cluster);
        await cluster.DoAsync(
            async m =>
            {
                while (m.Subscriptions is null)
                {
                    Late.ThrowIfCancellationRequested();
                    if (!m.Database.Leads)
                        throw new NotLeaderException(m.Name);
                    await Task.Yield();
                }
                await m.Subscriptions.EnsureAsync(
                    new SubscriptionDefinition { Name = "fed", Collections = ["Fed"] },
                    ct: Late
                );
                return true;
            },
            Late
        );
    }

    /// <summary>Takes a subscription's batches, and an ETL task's, at whichever node leads.</summary>
    private async Task DeliverAsync(DatabaseCluster cluster, ConcurrentDictionary<string, bool> delivered, Task until)
    {
        while (true)
        {
            var ends = until.IsCompleted;
            var leader = await cluster.LeaderAsync(Late);
            try
            {
                if (leader.Subscriptions is { } host)
                {
                    await using var worker = await host.ConnectAsync(
                        "fed",
                        new SubscriptionWorkerOptions { Strategy = WorkerStrategy.TakeOver },
                        Late
                    );
                    while (await worker.NextAsync(untilEmpty: true, Late) is { } batch)
                    {
                        List<string> ids = [.. batch.Select(i => i.Id)];
                        await batch.AcknowledgeAsync(ct: Late);
                        foreach (var id in ids)
                            Assert.True(delivered.TryAdd(id, true), $"{id} came again though it was acknowledged");
                    }
                    await TransferAsync(leader);
                    if (ends)
                        return;
                }
            }
            catch (Exception e)
                when (e
                        is NotLeaderException
                            or NotAcceptedException
                            or SubscriptionException
                            or ObjectDisposedException
                            or OperationCanceledException
                    && !Late.IsCancellationRequested
                )
            {
                output.WriteLine($"delivery: {e.Message}");
            }
            await Task.Yield();
        }
    }

    /// <summary>What an ETL task does: its position moves in the transaction that stores its effect.</summary>
    private async Task TransferAsync(DatabaseMember leader)
    {
        var cursor = DurableCursor.Open(
            new DatabaseChangeFeed(leader.Database),
            "etl/test",
            new CursorFilter(["Fed"], Deletes: false)
        );
        while (true)
        {
            using var batch = cursor.ReadBatch(cursor.Position, 100, 1 << 20);
            if (batch.Position <= cursor.Position)
                return;
            List<KeyValuePair<string, ReadOnlyMemory<byte>>> copies =
            [
                .. batch.Changes.Select(c =>
                    KeyValuePair.Create<string, ReadOnlyMemory<byte>>(
                        $"copies/{c.Position}",
                        Encoding.UTF8.GetBytes("{\"@metadata\":{\"@collection\":\"Copies\"}}")
                    )
                ),
            ];
            await cursor.AcknowledgeAsync(batch.Position, copies, Late);
        }
    }

    private async Task ExpectDeliveredAsync(DatabaseCluster cluster, ConcurrentDictionary<string, bool> delivered)
    {
        var leader = await cluster.LeaderAsync(Late);
        using var snapshot = leader.Database.OpenSnapshot();
        List<Document> fed = [.. snapshot.GetByCollection("Fed")];
        Assert.NotEmpty(fed);
        // The position of one whose acknowledgement had an unknown outcome may have moved.
        var missing = fed.Count(d => !delivered.ContainsKey(d.Id));
        output.WriteLine($"{fed.Count} documents in the subscription, {missing} with an unknown acknowledgement");
        var copies = snapshot.GetByCollection("Copies").Select(d => d.Id).ToHashSet(StringComparer.Ordinal);
        Assert.All(fed, d => Assert.Contains($"copies/{d.Position}", copies));
    }

    private async Task<bool> ChangeLeaderAsync(DatabaseCluster cluster, Random random, int round)
    {
        if (round % 3 != 2)
            return await cluster.HandOverAsync(random, Late);
        var old = await cluster.LeaderAsync(Late);
        old.IsAway = true;
        await Task.WhenAny(
            cluster.Members.Where(m => m != old).Select(m => m.Driver.WaitAsync(s => s.TakesWrites, Late))
        );
        old.IsAway = false;
        return true;
    }
}
