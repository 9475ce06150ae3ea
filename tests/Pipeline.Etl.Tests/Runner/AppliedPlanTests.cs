using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

public sealed class AppliedPlanTests
{
    private static EtlPlan Plan(RunnerFixture f, params string[] tasks)
    {
        var yaml =
            "version: 1\ndatabase: { name: test, path: . }\nconnections: { c: { fake: } }\netl:\n"
            + string.Concat(tasks);
        return PipelineConfiguration
            .Parse(yaml, "f.yaml", FixedVariables.None, new ConnectorCatalog([new FakeDefinition(f.Broker)]))
            .CreatePlan();
    }

    [Fact]
    public async Task One_task_is_changed_from_its_position_and_the_others_do_not_notice()
    {
        await using var f = new RunnerFixture();
        var connects = 0;
        f.Broker.OnConnect = task => connects += task == "same" ? 1 : 0;
        var same = RunnerFixture.Task("same", "send(\"out\", doc.N);");
        await using var host = f.Start(
            same,
            RunnerFixture.Task("a", "send(\"out\", doc.N);"),
            RunnerFixture.Task("gone", "send(\"out\", doc.N);")
        );
        await f.PutManyAsync(0, 3);
        Assert.True(await f.DrainAsync(host));
        await host.ApplyAsync(
            Plan(
                f,
                RunnerFixture.Task("new", "send(\"out\", doc.N);"),
                RunnerFixture.Task("a", "send(\"out\", \"v2 \" + doc.N);"),
                same
            )
        );
        await f.PutManyAsync(3, 2);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["new", "a", "same"], host.GetStatus().Select(s => s.Name));
        Assert.Equal(["0", "1", "2", "\"v2 3\"", "\"v2 4\""], f.Broker.Bodies("a"));
        Assert.Equal(["0", "1", "2", "3", "4"], f.Broker.Bodies("new"));
        Assert.Equal(["0", "1", "2", "3", "4"], f.Broker.Bodies("same"));
        Assert.Equal(["0", "1", "2"], f.Broker.Bodies("gone"));
        Assert.Equal(1, connects);
        Assert.Equal(5, host.GetStatus()[2].MessagesSent);
        Assert.Equal(2, host.GetStatus()[1].MessagesSent);
    }

    [Fact]
    public async Task A_task_that_waits_for_its_target_is_changed_at_once()
    {
        await using var f = new RunnerFixture();
        f.Broker.OnConnect = _ => throw new ConnectorException("c", "nobody at c:1", isTransient: true);
        await f.PutManyAsync(0, 2);
        await using var host = f.Start(RunnerFixture.Task("t"));
        await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        f.Broker.OnConnect = null;
        await host.ApplyAsync(Plan(f, RunnerFixture.Task("t", "send(\"out\", doc.N);")))
            .WaitAsync(RunnerFixture.Timeout);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["0", "1"], f.Broker.Bodies());
    }

    [Fact]
    public async Task The_same_plan_again_changes_nothing_and_an_empty_one_stops_all()
    {
        await using var f = new RunnerFixture();
        var connects = 0;
        f.Broker.OnConnect = _ => connects++;
        var task = RunnerFixture.Task("t", "send(\"out\", doc.N);");
        await using var host = f.Start(task);
        await f.PutManyAsync(0, 1);
        Assert.True(await f.DrainAsync(host));
        await host.ApplyAsync(Plan(f, task));
        Assert.Equal(1, connects);
        await host.ApplyAsync(Plan(f, RunnerFixture.Task("t", more: "disabled: true")));
        await f.PutManyAsync(1, 1);
        Assert.Empty(host.GetStatus());
        Assert.Equal(["0"], f.Broker.Bodies());
    }
}
