using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Cluster;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.KafkaLog;
using Pipeline.TestKit.Cluster;
using Xunit;

namespace Pipeline.IntegrationTests.SharedLog;

/// <summary>A topic keeps the contract of a shared log, and one that would lose records is refused by name.</summary>
[Collection(BrokerTests.Name)]
public sealed class KafkaSharedLogTests(Services services) : SharedLogContract
{
    private readonly string _topic = Sinks.NewName("log");
    private string _servers = "";

    public override async Task InitializeAsync()
    {
        _servers = (await services.Kafka.UseAsync()).Endpoint;
        await base.InitializeAsync();
    }

    protected override async Task<ISharedLog> OpenAsync(int maxRecordBytes) =>
        await KafkaSharedLog.OpenAsync(Options(_topic) with { MaxRecordBytes = maxRecordBytes });

    [SkippableFact]
    public async Task Without_three_copies_a_topic_is_refused_unless_that_is_allowed()
    {
        var refused = await Assert.ThrowsAsync<KafkaLogRefusedException>(() =>
            KafkaSharedLog.OpenAsync(Options(Sinks.NewName("log")) with { AllowFewerCopies = false })
        );
        Assert.Contains("needs 3 copies, and there is 1 broker", refused.Message, StringComparison.Ordinal);
        refused = await Assert.ThrowsAsync<KafkaLogRefusedException>(() =>
            KafkaSharedLog.OpenAsync(Options(_topic) with { AllowFewerCopies = false })
        );
        Assert.Contains("it has 1 copy, and must have 3", refused.Message, StringComparison.Ordinal);
        Assert.Contains("min.insync.replicas is 1, and must be at least 2", refused.Message, StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task Settings_that_lose_records_are_refused_all_at_once()
    {
        var topic = Sinks.NewName("log");
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = _servers }).Build();
        await admin.CreateTopicsAsync([
            new TopicSpecification
            {
                Name = topic,
                NumPartitions = 2,
                Configs = new()
                {
                    ["cleanup.policy"] = "compact,delete",
                    ["retention.ms"] = "60000",
                    ["retention.bytes"] = "1000000",
                    ["unclean.leader.election.enable"] = "true",
                    ["max.message.bytes"] = "10000",
                },
            },
        ]);
        var refused = await Assert.ThrowsAsync<KafkaLogRefusedException>(() =>
            KafkaSharedLog.OpenAsync(Options(topic))
        );
        Assert.Equal(6, refused.Faults.Count);
        foreach (
            var part in (string[])
                [
                    "it has 2 partitions, and must have 1",
                    "cleanup.policy is compact,delete, and must be delete",
                    "retention.ms is 60000, and must be -1",
                    "retention.bytes is 1000000, and must be -1",
                    "unclean.leader.election.enable is true, and must be false",
                    "max.message.bytes is 10000, and must be at least 901000",
                ]
        )
        {
            Assert.Contains(part, refused.Message, StringComparison.Ordinal);
        }
    }

    [SkippableFact]
    public async Task A_missing_topic_that_may_not_be_created_is_refused()
    {
        var refused = await Assert.ThrowsAsync<KafkaLogRefusedException>(() =>
            KafkaSharedLog.OpenAsync(
                new KafkaLogOptions
                {
                    Connection = new KafkaOptions { BootstrapServers = _servers, Create = false },
                    Topic = Sinks.NewName("log"),
                }
            )
        );
        Assert.Contains("does not exist", refused.Message, StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task Brokers_that_do_not_answer_are_an_error_and_never_an_empty_log()
    {
        var unavailable = await Assert.ThrowsAsync<KafkaLogUnavailableException>(() =>
            KafkaSharedLog.OpenAsync(
                Options(_topic) with
                {
                    Connection = new KafkaOptions { BootstrapServers = "127.0.0.1:1" },
                    BrokerTimeout = TimeSpan.FromMilliseconds(500),
                }
            )
        );
        Assert.Contains("no broker answers", unavailable.Message, StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task Large_records_come_back_as_they_were()
    {
        await using var log = await KafkaSharedLog.OpenAsync(Options(Sinks.NewName("log")));
        var random = new Random(7);
        var records = Enumerable
            .Range(0, 60)
            .Select(_ =>
            {
                var bytes = new byte[900_000];
                random.NextBytes(bytes);
                return bytes;
            })
            .ToList();
        for (var i = 0; i < records.Count; i++)
            Assert.Equal(AppendAnswer.At(i), await log.AppendAsync(records[i], i));
        for (var at = 0L; at < records.Count; )
        {
            var batch = await log.ReadAsync(at, 4 << 20, TimeSpan.FromSeconds(10));
            Assert.Equal(at, batch.First);
            for (var i = 0; i < batch.Records.Count; i++)
                Assert.True(batch.Records[i].Span.SequenceEqual(records[(int)at + i]), $"record {at + i} differs");
            at = batch.Next;
        }
    }

    private KafkaLogOptions Options(string topic) =>
        new()
        {
            Connection = new KafkaOptions { BootstrapServers = _servers },
            Topic = topic,
            AllowFewerCopies = true,
        };
}
