using Pipeline.Documents;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <content>Resynchronization of a paused subscription.</content>
public sealed partial class SlowSubscriptionTests
{
    [Fact]
    public async Task A_paused_one_keeps_nothing_and_gets_all_documents_anew_between_two_marks()
    {
        await _host.CreateAsync(
            Definition(new LagPolicy { Age = TimeSpan.FromHours(1), Then = LagAction.PauseAndResync })
        );
        await PutAsync(1, 5);
        var former = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { Lease = TimeSpan.FromDays(1) });
        await (await former.NextAsync())!.AcknowledgeAsync();
        await _database.DeleteAsync("d/1");
        await _database.DeleteAsync("d/2");
        await PutAsync(3, 3);
        Assert.Equal(0, await _database.Consumers.PurgeAsync());
        var lost = (await former.NextAsync())!;
        _time.Advance(TimeSpan.FromHours(2));
        await _host.CheckLagAsync();
        var e = await Assert.ThrowsAsync<SubscriptionException>(() => lost.AcknowledgeAsync());
        Assert.Equal((SubscriptionProblem.Behind, true), (e.Problem, e.CanReconnect));
        Assert.Equal(LagState.AwaitsResync, Status().Verdict.State);
        Assert.Equal(2, await _database.Consumers.PurgeAsync());
        await _host.CheckLagAsync();

        await using var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 2 });
        var begin = (await worker.NextAsync())!;
        Assert.Equal((ResyncPhase.Begin, 0), (begin.Resync, begin.Count));
        await begin.AcknowledgeAsync();

        // From now on tombstones are kept for it again, though it is at the beginning.
        await _database.DeleteAsync("d/4");
        await PutAsync(6, 6);
        Assert.Equal(0, await _database.Consumers.PurgeAsync());
        var some = (await worker.NextAsync())!;
        Assert.Equal(ResyncPhase.Snapshot, some.Resync);
        Assert.DoesNotContain(some, i => i.Id is "d/1" or "d/2" or "d/6");
        List<string> seen = [.. some.Select(i => i.Id)];
        await some.AcknowledgeAsync();
        Assert.Equal(LagState.Resyncing, Status().Verdict.State);
        var next = (await worker.NextAsync())!;
        while (next.Resync == ResyncPhase.Snapshot)
        {
            seen.AddRange(next.Select(i => i.Id));
            await next.AcknowledgeAsync();
            next = (await worker.NextAsync())!;
        }

        Assert.Equal(["d/3", "d/5"], seen.Where(i => i != "d/4").Order());
        Assert.Equal((ResyncPhase.End, 0), (next.Resync, next.Count));
        await next.AcknowledgeAsync();
        var tail = (await worker.NextAsync())!;
        Assert.Null(tail.Resync);
        Assert.Equal(["Delete d/4", "Put d/6"], tail.Select(i => $"{i.Kind} {i.Id}"));
        await tail.AcknowledgeAsync();
        Assert.Null(await worker.NextAsync(untilEmpty: true));
        Assert.Equal(LagState.Normal, Status().Verdict.State);
    }

    /// <summary>
    /// The consumer keeps a table; its process dies again and again, also during resyncs. In the end the table equals
    /// the database. How many changes a batch has depends on how far the subscription has read, so rounds go on until two
    /// resyncs were begun and two interrupted.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task A_resync_goes_on_after_a_crash_and_ends_with_what_the_database_has(int seed)
    {
        var random = new Random(seed);
        var table = new HashSet<string>();
        HashSet<string>? stale = null;
        await _host.CreateAsync(
            Definition(new LagPolicy { Age = TimeSpan.FromHours(1), Then = LagAction.PauseAndResync })
        );
        int begun = 0,
            middle = 0;
        for (var round = 0; round < 60 || begun < 2 || middle < 2; round++)
        {
            Assert.True(round < 2_000, $"{begun} resyncs, {middle} of the crashes within one");
            for (var i = random.Next(6); i > 0; i--)
            {
                var id = $"d/{random.Next(30)}";
                if (random.Next(3) == 0)
                    await _database.DeleteAsync(id);
                else
                    await _database.PutAsync(id, Json(round));
            }

            if (random.Next(6) == 0)
            {
                _time.Advance(TimeSpan.FromHours(2));
                await _host.CheckLagAsync();
            }

            await _database.Consumers.PurgeAsync();
            await using (var worker = await ConnectAsync())
            {
                for (var i = random.Next(4); i > 0; i--)
                {
                    if (await worker.NextAsync(untilEmpty: true) is not { } batch || random.Next(5) == 0)
                        break;
                    Apply(batch);
                    await batch.AcknowledgeAsync();
                }
            }

            // The process is gone; the next one has only the data in the database.
            middle += Status().ResyncThrough is not null ? 1 : 0;
            await _host.DisposeAsync();
            _host = OpenHost();
        }

        await using (var last = await ConnectAsync())
        {
            await foreach (var batch in last.ReadAllAsync(untilEmpty: true))
            {
                Apply(batch);
                await batch.AcknowledgeAsync();
            }
        }

        using var snapshot = _database.OpenSnapshot();
        Assert.Equal(snapshot.GetInIdOrder("Ds").Select(d => d.Id).Order(), table.Order());

        Task<SubscriptionWorker> ConnectAsync() =>
            _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 3 });

        void Apply(SubscriptionBatch batch)
        {
            if (batch.Resync == ResyncPhase.Begin)
            {
                begun++;
                stale = [.. table];
            }

            foreach (var item in batch)
            {
                if (item.Kind == ChangeKind.Put)
                    table.Add(item.Id);
                else
                    table.Remove(item.Id);
                stale?.Remove(item.Id);
            }

            if (batch.Resync != ResyncPhase.End)
                return;
            table.ExceptWith(stale!);
            stale = null;
        }
    }

    [Fact]
    public async Task A_worker_that_dies_with_the_mark_leaves_it_to_the_next()
    {
        await _host.CreateAsync(Definition(new LagPolicy { Changes = 1, Then = LagAction.PauseAndResync }));
        await PutAsync(1, 2);
        await _host.CheckLagAsync();
        var silent = await _host.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { Strategy = WorkerStrategy.Concurrent, Lease = TimeSpan.FromSeconds(10) }
        );
        var other = await _host.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { Strategy = WorkerStrategy.Concurrent }
        );
        var mark = (await silent.NextAsync())!;
        var next = other.NextAsync();
        Assert.False(next.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(11));
        var again = (await next)!;
        Assert.Equal((ResyncPhase.Begin, ResyncPhase.Begin), (mark.Resync, again.Resync));
        await Assert.ThrowsAsync<SubscriptionException>(() => mark.AcknowledgeAsync());
        await again.AcknowledgeAsync();
        Assert.Equal(2, (await other.NextAsync())!.Count);
    }
}
