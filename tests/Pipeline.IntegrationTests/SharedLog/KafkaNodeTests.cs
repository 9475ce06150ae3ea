using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Confluent.Kafka;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Hosting;
using Pipeline.IntegrationTests.Faults.Network;
using Pipeline.KafkaLog;
using Pipeline.TestKit.Services;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.IntegrationTests.SharedLog;

/// <summary>Nodes over a topic of a real broker: the trim, a refill behind it, and reads that ask the log.</summary>
[Collection(BrokerTests.Name)]
public sealed class KafkaNodeTests(Services services)
{
    private readonly string _topic = Sinks.NewName("nodes");

    [SkippableFact]
    public async Task The_topic_is_trimmed_behind_all_nodes_and_one_that_was_away_longer_is_filled()
    {
        var servers = (await services.Kafka.UseAsync()).Endpoint;
        await using var cluster = await WorkerCluster.StartAsync(
            3,
            log: ", trim: { every: 50ms, keepRecords: 20, silentAfter: 8s }",
            place: _ => Place(servers),
            openLog: async () => await KafkaSharedLog.OpenAsync(Options(servers))
        );
        var written = await cluster.WriteUntilTrimmedAsync();
        // The brokers say so, too, and not only our own log.
        Assert.InRange(FirstOffset(servers), 1, await cluster.LogFirstAsync());
        await cluster.VerifyAsync();

        var away = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await cluster.StopAsync(away);
        var leader = await cluster.LeaderAsync(exceptFor: away);
        await cluster.UntilAsync(
            () => leader.Cluster!.LogUse is { } use && use.Holders.Any(h => h.Name == away && h.IsSilent),
            "it is not silent"
        );
        var hold = leader.Cluster!.LogUse!.Holders.Single(h => h.Name == away).Place;
        while (await cluster.LogFirstAsync() <= hold)
            written = await cluster.WriteUntilTrimmedAsync(written);
        Assert.InRange(FirstOffset(servers), hold + 1, long.MaxValue);

        await cluster.StartAsync(away);
        await cluster.LeaderAsync();
        Assert.Contains(cluster.Lines.Lines, l => l.Contains($"{away} was filled from ", StringComparison.Ordinal));
        await cluster.VerifyAsync();
        var last = await cluster.GetAsync(
            cluster[away],
            $"/databases/shop/docs?id=orders/{written}",
            ("Pipeline-Read", "follower")
        );
        Assert.Equal(written, NumberOf(last));
    }

    [SkippableTheory]
    [InlineData("", "log")]
    [InlineData(", reads: log", null)]
    public async Task A_read_by_the_log_is_not_old_where_the_leader_is_cut_off_and_its_clock_stands_still(
        string setting,
        string? header
    )
    {
        var path = new NetworkPath("n1", "broker");
        await using var proxy = new PathProxy(0, _ => path);
        await using var kafka = await new KafkaService { AdvertisedPort = proxy.Port }.StartOwnAsync();
        var open = KafkaService.OpenEndpoint(kafka);
        proxy.Target = new Uri("kafka://" + kafka.Endpoint).Port;
        var clock = new StoppableClock();
        await using var cluster = await WorkerCluster.StartAsync(
            2,
            cluster: setting,
            place: n => Place(n == "n1" ? $"127.0.0.1:{proxy.Port}" : open),
            clockOf: n => n == "n1" ? clock : TimeProvider.System
        );
        await cluster.HandOverAsync("n1");
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n1"], "orders/1", 1));

        // An append without an answer would make n1 claim again. So none may be under way when the path is cut: a clock
        // that stands still allows one more beat, which is answered before the second write.
        clock.Stands = true;
        for (var i = 0; i < 2; i++)
            Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n1"], "orders/1", 1));
        path.Disturb(PathMode.Late, PathMode.Late);
        await cluster.UntilAsync(() => cluster["n2"].Acts, "n2 does not lead");
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n2"], "orders/1", 2));

        // The lease of a clock that stands still never ends. So this test would find an answer by the lease.
        Assert.Equal((HttpStatusCode.OK, 1), await ReadAsync(cluster, "n1", "leader"));
        var (status, number) = await ReadAsync(cluster, "n1", header);
        Assert.Equal((HttpStatusCode.ServiceUnavailable, null), (status, number));
        Assert.Equal((HttpStatusCode.OK, 2), await ReadAsync(cluster, "n2", header));

        clock.Stands = false;
        path.Heal();
        await cluster.UntilAsync(() => cluster["n1"].Cluster!.Leader?.Name == "n2", "n1 does not follow");
        Assert.Equal((HttpStatusCode.OK, 2), await ReadAsync(cluster, "n1", header));
    }

    [SkippableFact]
    public async Task A_cluster_moves_to_another_topic_without_a_copy()
    {
        var servers = (await services.Kafka.UseAsync()).Endpoint;
        await using var cluster = await WorkerCluster.StartAsync(2, place: _ => Place(servers));
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 1));
        var end = await WorkerRun.InvokeAsync("cluster", "end", "next", "--url", leader.Cluster!.Self.Url.ToString());
        Assert.True(end.ExitCode == ExitCodes.Success, end.Error + end.Out);
        foreach (var name in cluster.Names)
            await cluster.StopAsync(name);
        cluster.Change($"topic: {_topic},", $"topic: {_topic}-next,");
        var begun = await WorkerRun.InvokeAsync("cluster", "begin", "--config", cluster.FileOf("n1"));
        Assert.True(begun.ExitCode == ExitCodes.Success, begun.Error);
        foreach (var name in cluster.Names)
            await cluster.StartAsync(name);
        leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/2", 2));
        await cluster.VerifyAsync();
        Assert.DoesNotContain(cluster.Lines.Lines, l => l.Contains(" was filled from ", StringComparison.Ordinal));
        var log = (await cluster.GetAsync(leader, "/cluster/status")).GetProperty("log").GetString();
        Assert.Contains("-next", log, StringComparison.Ordinal);
    }

    private static async Task<(HttpStatusCode Status, int? Number)> ReadAsync(
        WorkerCluster cluster,
        string name,
        string? read
    )
    {
        using var request = new HttpRequestMessage(
            HttpMethod.Get,
            WorkerCluster.Url(cluster[name], "/databases/shop/docs?id=orders/1")
        );
        if (read is not null)
            request.Headers.Add("Pipeline-Read", read);
        using var answer = await cluster.Http.SendAsync(request);
        return (
            answer.StatusCode,
            answer.IsSuccessStatusCode ? NumberOf(await answer.Content.ReadFromJsonAsync<JsonElement>()) : null
        );
    }

    private static int NumberOf(JsonElement answer) =>
        answer.GetProperty("Results")[0].GetProperty("Number").GetInt32();

    private string Place(string servers) =>
        $"kafka: {{ bootstrapServers: \"{servers}\", topic: {_topic}, allowFewerCopies: true }}";

    private KafkaLogOptions Options(string servers) =>
        new()
        {
            Connection = new KafkaOptions { BootstrapServers = servers },
            Topic = _topic,
            AllowFewerCopies = true,
        };

    private long FirstOffset(string servers)
    {
        using var consumer = new ConsumerBuilder<byte[], byte[]>(
            new ConsumerConfig { BootstrapServers = servers, GroupId = _topic }
        ).Build();
        return consumer.QueryWatermarkOffsets(new TopicPartition(_topic, 0), TimeSpan.FromSeconds(30)).Low.Value;
    }

    /// <summary>A clock whose time can stand still. Timers go on.</summary>
    private sealed class StoppableClock : TimeProvider
    {
        private long _stood;

        public bool Stands
        {
            get => Interlocked.Read(ref _stood) != 0;
            set => Interlocked.Exchange(ref _stood, value ? base.GetTimestamp() : 0);
        }

        public override long GetTimestamp() =>
            Interlocked.Read(ref _stood) is > 0 and var stood ? stood : base.GetTimestamp();
    }
}
