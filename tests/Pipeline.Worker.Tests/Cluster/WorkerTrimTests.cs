using System.Net;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>The log is trimmed behind what all nodes have on their disks, and no lost node holds it for ever.</summary>
public sealed class WorkerTrimTests
{
    [Fact]
    public async Task The_log_is_trimmed_while_the_cluster_works_and_tells_who_holds_it()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, log: ", trim: { every: 50ms, keepRecords: 20 }");
        await cluster.WriteUntilTrimmedAsync();
        await cluster.VerifyAsync();
        var leader = await cluster.LeaderAsync();
        var held = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(held);
        // The node that is away holds what comes now.
        var first = await cluster.LogFirstAsync();
        for (var i = 0; i < 200; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/more-{i}", i));
        await cluster.UntilAsync(
            () =>
                leader.Cluster!.LogUse is { HeldBy: { } by }
                && by.StartsWith(held + " needs it", StringComparison.Ordinal),
            "the log is not held"
        );
        var use = leader.Cluster!.LogUse!;
        Assert.True(use.First >= first);
        Assert.True(use.First <= use.Holders.Single(h => h.Name == held).Place);
        Assert.Equal(3, use.Holders.Count);
        var status = await cluster.GetAsync(leader, "/cluster/status");
        Assert.NotNull(status.GetProperty("logUse").GetProperty("heldBy").GetString());
        var metrics = await cluster.Http.GetStringAsync(WorkerCluster.Url(leader, "/metrics"));
        Assert.Contains("pipeline_cluster_log_records", metrics, StringComparison.Ordinal);
        Assert.Contains($"pipeline_holder=\"{held}\"", metrics, StringComparison.Ordinal);

        // When it comes back, it needs only the log.
        await cluster.StartAsync(held);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
        Assert.DoesNotContain(cluster.Lines.Lines, l => l.Contains(" was filled from ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_node_that_is_removed_holds_the_log_no_longer()
    {
        await using var cluster = await WorkerCluster.StartAsync(3, log: ", trim: { every: 50ms, keepRecords: 20 }");
        var written = await cluster.WriteUntilTrimmedAsync();
        var gone = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(gone);
        var leader = await cluster.LeaderAsync(exceptFor: gone);
        await cluster.UntilAsync(() => leader.Cluster!.LogUse is { Holders.Count: 3 }, "not all have reported");
        // It may have kept a later place than it has reported, but none behind the end.
        var end = (await cluster.LogBoundsAsync()).End;
        using var removed = await cluster.Http.DeleteAsync(WorkerCluster.Url(leader, "/cluster/nodes?name=" + gone));
        Assert.Equal(HttpStatusCode.OK, removed.StatusCode);
        while (await cluster.LogFirstAsync() <= end)
            written = await cluster.WriteUntilTrimmedAsync(written);
        await cluster.UntilAsync(
            () => leader.Cluster!.LogUse!.Holders.All(h => h.Name != gone),
            "the node still holds the log"
        );

        // If it comes back all the same, it is filled.
        await cluster.StartAsync(gone);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
        Assert.Contains(cluster.Lines.Lines, l => l.Contains($"{gone} was filled from ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_node_that_is_silent_for_too_long_holds_the_log_no_longer_and_that_is_said()
    {
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            log: ", trim: { every: 50ms, keepRecords: 20, silentAfter: 8s }"
        );
        var written = await cluster.WriteUntilTrimmedAsync();
        var dead = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(dead);
        var leader = await cluster.LeaderAsync(exceptFor: dead);
        await cluster.UntilAsync(
            () => leader.Cluster!.LogUse is { } use && use.Holders.Any(h => h.Name == dead && h.IsSilent),
            "it is not silent"
        );
        var hold = leader.Cluster!.LogUse!.Holders.Single(h => h.Name == dead).Place;
        while (await cluster.LogFirstAsync() <= hold)
            written = await cluster.WriteUntilTrimmedAsync(written);
        Assert.Single(
            cluster.Lines.Lines,
            l => l.Contains($"no longer keeps the log for {dead},", StringComparison.Ordinal)
        );
        await cluster.StartAsync(dead);
        await cluster.LeaderAsync();
        await cluster.VerifyAsync();
    }

    [Fact]
    public async Task Nothing_is_trimmed_where_too_few_nodes_have_it()
    {
        await using var cluster = await WorkerCluster.StartAsync(1, log: ", trim: { every: 50ms, keepRecords: 20 }");
        var leader = await cluster.LeaderAsync();
        for (var i = 0; i < 100; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, $"orders/{i}", i));
        leader.Database.Storage.Flush();
        await cluster.UntilAsync(
            () => leader.Cluster!.LogUse?.HeldBy == "1 of 2 nodes have reported their places",
            "the reason is not told"
        );
        Assert.Equal(0, await cluster.LogFirstAsync());
    }
}
