using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

public sealed class EtlFaultTests
{
    private static ConnectorException Away => new("c", "nobody at c:1", isTransient: true);

    [Fact]
    public async Task A_target_that_is_down_at_start_is_waited_for_with_growing_waits()
    {
        await using var f = new RunnerFixture();
        var tries = 0;
        f.Broker.OnConnect = _ =>
        {
            if (++tries <= 8)
                throw Away;
        };
        await f.PutManyAsync(0, 5);
        await using var host = f.Start(RunnerFixture.Task("t"));
        var first = await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        var waiting = host.GetStatus()[0];
        Assert.Equal(EtlTaskState.Retrying, waiting.State);
        Assert.Equal("nobody at c:1", waiting.LastError!.Message);
        Assert.InRange(waiting.NextTry!.Value - f.Time.GetUtcNow(), first, first + TimeSpan.FromMilliseconds(1));
        f.Time.Advance(first);
        List<TimeSpan> waits = [first, .. await f.DrainOverWaitsAsync(host)];
        Assert.Equal(8, waits.Count);
        for (var i = 0; i < 8; i++)
        {
            var whole = Math.Min(500 * Math.Pow(2, i), 30_000);
            Assert.InRange(waits[i].TotalMilliseconds, whole * 0.74, Math.Min(whole * 1.26, 30_000));
        }

        Assert.Equal(5, f.Broker.Arrived.Count);
        Assert.Equal(8, host.GetStatus()[0].Retries);
        Assert.Equal(EtlTaskState.Idle, host.GetStatus()[0].State);
    }

    [Fact]
    public async Task The_budget_of_tries_holds_where_the_target_was_never_there_too()
    {
        await using var f = new RunnerFixture();
        f.Broker.OnConnect = _ => throw Away;
        await f.PutManyAsync(0, 5);
        await using var host = f.Start(
            RunnerFixture.Task("t", more: "onError: park\n    retry: { attempts: { transient: 2 } }")
        );
        await f.DrainOverWaitsAsync(host);
        Assert.Empty(f.Broker.Arrived);
        Assert.Equal(5, f.DeadLetters().Count);
        var status = host.GetStatus()[0];
        Assert.Equal(2, Assert.Single(status.RetriesByClass, c => c.Key == FailureClass.Transient).Value);
        Assert.Equal(5, status.Errors[FailureClass.Transient]);
        Assert.Equal(0, status.Batches);
    }

    [Fact]
    public async Task A_target_that_goes_away_between_loses_nothing_and_holds_up_no_other_task()
    {
        await using var f = new RunnerFixture();
        var sends = 0;
        f.Broker.BeforeArrival = (task, _) =>
        {
            if (task == "a" && Interlocked.Increment(ref sends) is 2 or 3)
                throw Away;
        };
        await f.PutManyAsync(0, 100);
        var few = "batch: { minDocuments: 10, maxDocuments: 10 }";
        await using var host = f.Start(RunnerFixture.Task("a", more: few), RunnerFixture.Task("b", more: few));
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(f.Broker.Bodies("b"), f.Broker.Bodies("a"));
        Assert.Equal(100, f.Broker.Bodies("a").Length);
        Assert.Equal(2, host.GetStatus()[0].Retries);
        Assert.Equal(0, host.GetStatus()[1].Retries);
    }

    [Fact]
    public async Task Other_tasks_finish_while_one_waits()
    {
        await using var f = new RunnerFixture();
        f.Broker.OnConnect = task =>
        {
            if (task == "a")
                throw new ConnectorException("c", "wrong password", isTransient: false);
        };
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(RunnerFixture.Task("a"), RunnerFixture.Task("b"));
        Assert.False(await f.DrainAsync(host));
        Assert.Equal(10, f.Broker.Bodies("b").Length);
        var failed = host.GetStatus()[0];
        Assert.Equal(EtlTaskState.Failed, failed.State);
        Assert.Equal("wrong password", failed.LastError!.Message);
        Assert.False(failed.LastError.IsTransient);
        Assert.True(failed.NextTry - f.Time.GetUtcNow() >= TimeSpan.FromSeconds(45));
        f.Broker.OnConnect = null;
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(10, f.Broker.Bodies("a").Length);
    }

    [Fact]
    public async Task An_answer_that_is_lost_repeats_messages_with_the_same_ids()
    {
        await using var f = new RunnerFixture();
        var sends = 0;
        f.Broker.AfterArrival = (_, _) =>
        {
            if (++sends == 1)
                throw Away;
        };
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(RunnerFixture.Task("t"));
        await f.DrainOverWaitsAsync(host);
        var ids = f.Broker.Ids();
        Assert.Equal(20, ids.Length);
        Assert.Equal(ids[..10], ids[10..]);
    }

    [Fact]
    public async Task A_target_that_remembers_the_position_gets_each_message_once_though_the_answer_is_lost()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        var sends = 0;
        f.Broker.AfterArrival = (_, _) =>
        {
            if (++sends is 1 or 3)
                throw Away;
        };
        await f.PutManyAsync(0, 40);
        await using var host = f.Start(RunnerFixture.Task("t", more: "batch: { minDocuments: 10, maxDocuments: 10 }"));
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(40, f.Broker.Ids().Length);
        Assert.Equal(40, f.Broker.Ids().Distinct().Count());
    }

    [Fact]
    public async Task Refused_messages_are_dead_letters_before_a_target_that_remembers_the_position_moves_it()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        f.Broker.Refuse = m => m.Body.Span.SequenceEqual("2"u8) ? "no twos" : null;
        var crash = new CrashingFeed(f.Feed);
        f.Broker.AfterArrival = (_, _) =>
        {
            crash.Crash();
            throw Away;
        };
        await f.PutManyAsync(0, 4);
        var task = RunnerFixture.Task("t", "send(\"out\", doc.N);");
        f.Feed = crash;
        var first = f.Start(task);
        await crash.Crashed.WaitAsync(RunnerFixture.Timeout);
        await first.StopAsync().WaitAsync(RunnerFixture.Timeout);

        f.Feed = new DatabaseChangeFeed(f.Database);
        f.Broker.AfterArrival = null;
        await f.RunToEndAsync(task);
        Assert.Equal(["0", "1", "3"], f.Broker.Bodies());
        Assert.Equal("no twos", Assert.Single(f.DeadLetters()).GetProperty("Error").GetProperty("Message").GetString());
    }

    [Fact]
    public async Task The_position_that_the_target_remembers_is_where_it_begins()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        await f.PutManyAsync(0, 10);
        f.Broker.Positions["t"] = f.Database.LastPosition - 3;
        await f.RunToEndAsync(RunnerFixture.Task("t", "send(\"out\", doc.N);"));
        Assert.Equal(["7", "8", "9"], f.Broker.Bodies());
    }

    [Fact]
    public async Task A_target_that_is_ahead_of_the_database_is_an_error_and_nothing_is_left_out_in_silence()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        await f.PutManyAsync(0, 10);
        f.Broker.Positions["t"] = f.Database.LastPosition + 1;
        await using var host = f.Start(RunnerFixture.Task("t"));
        Assert.False(await f.DrainAsync(host));
        Assert.Contains(
            "the database only 10: it went back in time",
            host.GetStatus()[0].LastError!.Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    public async Task A_crash_between_any_two_steps_loses_nothing(int step)
    {
        // Steps of a batch: dead letters committed, arrived, confirmed, position committed; the crash comes before the
        // given one.
        await using var f = new RunnerFixture();
        var crash = new CrashingFeed(f.Feed);
        var at = 0;
        void Step()
        {
            if (at++ == step)
                crash.Crash();
            crash.ThrowIfCrashed();
        }

        crash.BeforeCommit = Step;
        f.Broker.BeforeArrival = (_, _) => Step();
        f.Broker.AfterArrival = (_, _) => Step();
        await f.PutManyAsync(0, 30);
        string[] tasks =
        [
            RunnerFixture.Task(
                "t",
                "if (doc.N % 7 == 3) throw new Exception(\"x\");\nsend(\"out\", doc.N);",
                more: "batch: { minDocuments: 10, maxDocuments: 10 }"
            ),
        ];
        var last = f.Database.LastPosition;
        f.Feed = crash;
        var first = f.Start(tasks);
        await crash.Crashed.WaitAsync(RunnerFixture.Timeout);
        await first.StopAsync().WaitAsync(RunnerFixture.Timeout);

        f.Feed = new DatabaseChangeFeed(f.Database);
        f.Broker.BeforeArrival = f.Broker.AfterArrival = null;
        await using var second = f.Start(tasks);
        Assert.True(await f.DrainAsync(second));
        Assert.Equal(
            Enumerable.Range(0, 30).Where(n => n % 7 != 3).Select(n => n.ToString()),
            f.Broker.Bodies().Distinct()
        );
        Assert.Equal(
            [3, 10, 17, 24],
            f.DeadLetters().Select(l => l.GetProperty("Document").GetProperty("N").GetInt32()).Order()
        );
        Assert.Equal(f.Broker.Bodies().Distinct().Count(), f.Broker.Ids().Distinct().Count());
        Assert.True(f.DurablePosition("t") >= last);
    }

    [Fact]
    public async Task A_database_that_fails_is_shown_and_the_task_begins_again_from_its_durable_position()
    {
        await using var f = new RunnerFixture();
        var commits = 0;
        var feed = new CrashingFeed(f.Feed)
        {
            BeforeCommit = () =>
            {
                // The first two keep the task's record and its run.
                if (++commits == 3)
                    throw new IOException("disk says no");
            },
        };
        f.Feed = feed;
        await f.PutManyAsync(0, 5);
        await using var host = f.Start(RunnerFixture.Task("t"));
        await f.DrainOverWaitsAsync(host);
        Assert.Equal("disk says no", host.GetStatus()[0].LastError!.Message);
        Assert.Equal(10, f.Broker.Ids().Length);
        Assert.Equal(5, f.Broker.Ids().Distinct().Count());
    }

    /// <summary>A feed whose process may die: from then on nothing is committed.</summary>
    private sealed class CrashingFeed(IChangeFeed inner) : IChangeFeed
    {
        private readonly TaskCompletionSource _crashed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Action? BeforeCommit { get; set; }

        public Task Crashed => _crashed.Task;

        public string DatabaseName => inner.DatabaseName;

        public string DatabaseId => inner.DatabaseId;

        public long LastPosition => inner.LastPosition;

        public void Crash() => _crashed.TrySetResult();

        public void ThrowIfCrashed()
        {
            if (_crashed.Task.IsCompleted)
                throw new IOException("the process is gone");
        }

        public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
            inner.WaitForChangeAsync(after, cancellationToken);

        public IFeedSnapshot OpenSnapshot() => inner.OpenSnapshot();

        public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken)
        {
            BeforeCommit?.Invoke();
            ThrowIfCrashed();
            return inner.CommitAsync(commit, cancellationToken);
        }
    }
}
