using Pipeline.Database;
using Pipeline.Etl.Resuming;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.CrashTests.Scripts;

/// <summary>A task or a subscription whose script ends the process does not end it at each start.</summary>
public sealed class DeadlyScriptTests : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-deadly-script-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_task_whose_script_ended_the_process_three_times_waits_for_a_person()
    {
        for (var end = 0; end < 3; end++)
            Assert.Contains(await RunAsync("task"), DeadlyChild.Aborted);
        var plan = ScriptedChild.PlanOf(_folder);

        // The second start finds it blocked as well.
        for (var start = 0; start < 2; start++)
        {
            await using var database = ScriptedChild.Open(_folder);
            await using var host = new EtlHost(plan, database);
            host.Start();
            Assert.False(await DrainAsync(host, database));
            var status = Assert.Single(host.GetStatus());
            Assert.Equal(EtlTaskState.Blocked, status.State);
            Assert.Contains("ended 3 times in a row", status.Conflict?.Reason, StringComparison.Ordinal);
        }

        await using (var database = ScriptedChild.Open(_folder))
        {
            await new ResumeService(database).ResumeAsync(plan.Tasks[0].Task, "position");
            await using var host = new EtlHost(plan, database);
            host.Start();
            Assert.True(await DrainAsync(host, database));
        }

        Assert.Single(await File.ReadAllLinesAsync(Path.Combine(_folder, "out", "texts.jsonl")));
        Assert.Empty(Directory.GetFiles(Path.Combine(_folder, "data", "running")));
    }

    [Fact]
    public async Task A_task_is_blocked_soon_although_changes_before_the_deadly_one_are_sent_at_each_start()
    {
        await ScriptedChild.FillAsync(_folder);
        await DeadlyChild.AssertEndsSoonAsync(() => RunAsync("task"));
        await using var database = ScriptedChild.Open(_folder);
        await using var host = new EtlHost(ScriptedChild.PlanOf(_folder), database);
        host.Start();
        Assert.False(await DrainAsync(host, database));
        Assert.Equal(EtlTaskState.Blocked, Assert.Single(host.GetStatus()).State);
    }

    [Fact]
    public async Task A_subscription_is_stopped_soon_although_changes_before_the_deadly_one_pass_at_each_start()
    {
        await ScriptedChild.FillAsync(_folder);
        await DeadlyChild.AssertEndsSoonAsync(() => RunAsync("subscription"));
        await using var database = ScriptedChild.Open(_folder);
        await using var host = SubscriptionHost.Open(database);
        Assert.Contains("times in a row", host.GetStatus()[0].Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_subscription_whose_filter_ended_the_process_three_times_is_stopped_until_it_is_resumed()
    {
        for (var end = 0; end < 3; end++)
            Assert.Contains(await RunAsync("subscription"), DeadlyChild.Aborted);
        for (var start = 0; start < 2; start++)
        {
            await using var database = ScriptedChild.Open(_folder);
            await using var host = SubscriptionHost.Open(database);
            Assert.Contains("ended 3 times in a row", host.GetStatus()[0].Error, StringComparison.Ordinal);
            var refused = await Assert.ThrowsAsync<SubscriptionException>(() =>
                host.ConnectAsync(ScriptedChild.Subscription)
            );
            Assert.Equal(SubscriptionProblem.Failed, refused.Problem);
        }

        await using (var database = ScriptedChild.Open(_folder))
        {
            await using var host = SubscriptionHost.Open(database);
            await host.ResumeAsync(ScriptedChild.Subscription);
            Assert.Null(host.GetStatus()[0].Error);
            await using var worker = await host.ConnectAsync(ScriptedChild.Subscription);
        }

        Assert.Empty(Directory.GetFiles(Path.Combine(_folder, "data", "running")));
    }

    private static async Task<bool> DrainAsync(EtlHost host, DocumentDatabase database)
    {
        using var stop = new CancellationTokenSource(Timeout);
        return await host.DrainAsync(database.LastPosition, stop.Token);
    }

    private Task<int> RunAsync(string what) => DeadlyChild.RunAsync(["script-death", _folder, what]);
}
