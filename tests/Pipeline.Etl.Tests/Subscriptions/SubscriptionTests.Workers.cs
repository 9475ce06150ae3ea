using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <content>The workers of a subscription.</content>
public sealed partial class SubscriptionTests
{
    [Fact]
    public async Task A_silent_worker_loses_its_batch_and_its_acknowledgement_counts_no_more()
    {
        await PutAsync("As", 1, 3);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Collections = ["As"] });
        await using var silent = await _host.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { Name = "silent", Lease = TimeSpan.FromSeconds(10) }
        );
        var lost = (await silent.NextAsync())!;
        _time.Advance(TimeSpan.FromSeconds(8));
        lost.ExtendLease();
        _time.Advance(TimeSpan.FromSeconds(8));
        Assert.Equal("silent", Assert.Single(_host.GetStatus("s")[0].Workers).Name);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.Empty(_host.GetStatus("s")[0].Workers);

        await using var other = await _host.ConnectAsync("s");
        var again = (await other.NextAsync())!;
        Assert.Equal((3, 1), (again.Count, again[0].Attempts));
        var ran = false;
        var refused = await Assert.ThrowsAsync<SubscriptionException>(() => lost.AcknowledgeAsync(_ => ran = true));
        Assert.Equal((SubscriptionProblem.LeaseLost, false, true), (refused.Problem, ran, refused.CanReconnect));
        Assert.Equal(0, _host.GetStatus("s")[0].Position);
        await again.AcknowledgeAsync();
    }

    [Fact]
    public async Task Strategies_refuse_wait_or_take_over()
    {
        await PutAsync("As", 1, 1);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        await using var first = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { Name = "first" });
        var inUse = await Assert.ThrowsAsync<SubscriptionException>(() => _host.ConnectAsync("s"));
        Assert.Equal("The worker 'first' has the subscription 's'; wait for it, or take it over.", inUse.Message);
        var waiting = _host.ConnectAsync("s", new SubscriptionWorkerOptions { Strategy = WorkerStrategy.WaitForFree });
        Assert.False(waiting.IsCompleted);
        await first.DisposeAsync();
        await using var second = await waiting;
        var batch = (await second.NextAsync())!;
        await using var third = await _host.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { Name = "third", Strategy = WorkerStrategy.TakeOver }
        );
        var taken = await Assert.ThrowsAsync<SubscriptionException>(() => batch.AcknowledgeAsync());
        Assert.Equal(
            (SubscriptionProblem.TakenOver, "The worker 'third' took over the subscription 's'."),
            (taken.Problem, taken.Message)
        );
        Assert.Single((await third.NextAsync())!);
    }

    [Fact]
    public async Task Pause_change_move_and_delete_tell_the_workers()
    {
        await PutAsync("As", 1, 5);
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Collections = ["As"] });
        SubscriptionBatch? batch = null;
        foreach (
            (var problem, var act) in new (SubscriptionProblem, Func<Task>)[]
            {
                (
                    SubscriptionProblem.Changed,
                    () =>
                        _host.UpdateAsync(
                            new SubscriptionDefinition
                            {
                                Name = "s",
                                Collections = ["As"],
                                Filter = "doc.N > 2",
                            }
                        )
                ),
                (SubscriptionProblem.Moved, () => _host.MoveAsync("s", SubscriptionStart.After(3))),
                (SubscriptionProblem.Paused, () => _host.PauseAsync("s")),
            }
        )
        {
            await using var worker = await _host.ConnectAsync("s");
            batch = await worker.NextAsync();
            await act();
            var dropped = await Assert.ThrowsAsync<SubscriptionException>(async () => await worker.NextAsync());
            Assert.Equal(problem, dropped.Problem);
        }

        Assert.Equal([4L, 5L], batch!.Select(i => i.Position));
        var paused = await Assert.ThrowsAsync<SubscriptionException>(() => _host.ConnectAsync("s"));
        Assert.Equal(SubscriptionProblem.Paused, paused.Problem);
        await _host.ResumeAsync("s");
        await using (var worker = await _host.ConnectAsync("s"))
            Assert.Equal(2, (await worker.NextAsync())!.Count);
        Assert.True(await _host.DeleteAsync("s"));
        Assert.False(await _host.DeleteAsync("s"));
        var gone = await Assert.ThrowsAsync<SubscriptionException>(() => _host.ConnectAsync("s"));
        Assert.Equal(SubscriptionProblem.NotFound, gone.Problem);
        await using var again = SubscriptionHost.Open(_database, _time);
        Assert.Empty(again.Names());
    }

    [Fact]
    public async Task A_handler_that_fails_for_one_document_holds_up_no_other()
    {
        await PutAsync("As", 1, 40);
        await _host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "s",
                Collections = ["As"],
                MaxAttempts = 3,
                RetryDelay = TimeSpan.Zero,
            }
        );
        await using var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 7 });
        var seen = new List<string>();
        var done = await worker.RunAsync(
            (item, _) =>
            {
                seen.Add(item.Id);
                return item.Id == "as/5" ? throw new InvalidDataException("poison") : ValueTask.CompletedTask;
            },
            untilEmpty: true
        );
        Assert.Equal((39L, 3), (done, seen.Count(i => i == "as/5")));
        Assert.Equal(40, seen.Distinct().Count());
        Assert.Equal(1, _host.GetStatus("s")[0].Parked);
    }
}
