using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Resuming;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>If a target knows more than the database, a person must decide, however long that takes.</summary>
public sealed class TargetAheadTests
{
    [Fact]
    public async Task A_target_that_was_ahead_stays_an_error_when_the_database_has_grown_past_it()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        await f.PutManyAsync(0, 10);
        f.Broker.Positions["t"] = 14;
        await using (var host = f.Start(RunnerFixture.Task("t")))
            Assert.False(await f.DrainAsync(host));
        await f.PutManyAsync(10, 6);
        await using var again = f.Start(RunnerFixture.Task("t"));
        var drained = await f.DrainAsync(again);
        Assert.True(
            !drained || f.Broker.Bodies().Length == 16,
            $"the task is {again.GetStatus()[0].State} at {again.GetStatus()[0].Position}, and {f.Broker.Bodies().Length} of 16 changes were sent"
        );
        Assert.Equal(EtlTaskState.Blocked, again.GetStatus()[0].State);

        // The decision takes effect at once, and lasts although the target still remembers 14.
        await new ResumeService(f.Database).ResumeAsync(f.TaskOf("t"), "11");
        again.Wake("t");
        await f.DrainResumedAsync(again);
        Assert.Equal(
            [.. Enumerable.Range(10, 6).Select(n => $"things/{n}")],
            f.Broker.Arrived.Select(a => a.Message.Subject)
        );
        Assert.All(
            f.Broker.Ids(),
            id =>
                Assert.StartsWith($"{f.Database.Id}.{f.Database.Lineages.Current.Id}/t/", id, StringComparison.Ordinal)
        );
        await again.DisposeAsync();
        await f.PutManyAsync(16, 2);
        await f.RunToEndAsync(RunnerFixture.Task("t"));
        Assert.Equal(8, f.Broker.Ids().Distinct().Count());
    }

    [Fact]
    public void A_record_of_another_lineage_or_of_an_unknown_run_stops_the_task_and_an_accepted_one_does_not()
    {
        var standing = TaskStanding.Begin(DatabaseLineages.Initial, 0, 0).With("r1", 5).With("r2", 5);
        var run = new TaskRun(DatabaseLineages.Initial, () => 20, TimeOf, standing);
        Assert.Equal(12, run.Judge(new TargetMark(12, "", "r1")));
        Assert.Equal(12, run.Judge(new TargetMark(12, "", null)));
        Assert.Equal(5, run.Judge(new TargetMark(5, "", "long-ago")));
        Assert.True(
            Assert.Throws<TargetConflictException>(() => run.Judge(new TargetMark(6, "", "foreign"))).IsOfLineage
        );
        Assert.True(Assert.Throws<TargetConflictException>(() => run.Judge(new TargetMark(21, "", "r1"))).IsOfLineage);
        Assert.Equal(12, run.Judge(new TargetMark(12, "", "r1") { Change = 11, Time = TimeOf(11) }));
        Assert.Equal(12, run.Judge(new TargetMark(12, "", "r1") { Change = 13, Time = TimeOf(11) }));
        Assert.True(
            Assert
                .Throws<TargetConflictException>(() =>
                    run.Judge(new TargetMark(12, "", "r1") { Change = 12, Time = TimeOf(11) })
                )
                .IsOfLineage
        );
        var copied = new TargetMark(8, "copy", "r9");
        Assert.False(Assert.Throws<TargetConflictException>(() => run.Judge(copied)).IsOfLineage);

        var decided = new TaskRun(
            DatabaseLineages.Initial,
            () => 20,
            TimeOf,
            TaskStanding.Parse((standing with { Accepts = true }).ToBytes())!
        );
        Assert.Equal(0, decided.Judge(copied));
        Assert.Equal(0, decided.Judge(copied));
        var later = new TaskRun(
            DatabaseLineages.Initial,
            () => 20,
            TimeOf,
            TaskStanding.Parse(decided.Standing.ToBytes())!
        );
        Assert.Equal(0, later.Judge(copied));
        Assert.Throws<TargetConflictException>(() => later.Judge(copied with { Position = 9 }));
    }

    private static DateTimeOffset? TimeOf(long position) =>
        position == 13 ? null : DateTimeOffset.UnixEpoch.AddSeconds(position);
}
