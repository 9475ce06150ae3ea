using Confluent.Kafka;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.KafkaLog;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.SharedLog;

/// <summary>A log whose first broker has just died is found at the broker that takes over.</summary>
[Collection(BrokerOutages.Name)]
public sealed class DeadBrokerTests
{
    private const string Topic = "log";

    [SkippableFact]
    public async Task A_question_to_a_dead_broker_is_asked_again_at_its_successor()
    {
        await using var brokers = new KafkaCluster([]);
        await brokers.StartAsync((_, _) => 0);
        var options = new KafkaLogOptions
        {
            Connection = new KafkaOptions { BootstrapServers = brokers.Endpoint },
            Topic = Topic,
            BrokerTimeout = TimeSpan.FromSeconds(60),
        };
        await using (var log = await KafkaSharedLog.OpenAsync(options))
            Assert.Equal(0, (await log.AppendAsync(new byte[] { 1 }, 0)).Place);
        await brokers.KillAsync(Array.IndexOf(brokers.Endpoint.Split(','), FindLeader(brokers.Endpoint)));

        await using var again = await KafkaSharedLog.OpenAsync(options);
        var bounds = await again.GetBoundsAsync();
        Assert.Equal(1, bounds.End);
    }

    [Fact]
    public async Task Where_no_broker_answers_the_error_says_why()
    {
        var nobody = $"127.0.0.1:{FreePorts.Find()}";
        var e = await Assert.ThrowsAsync<KafkaLogUnavailableException>(() =>
            KafkaSharedLog.OpenAsync(
                new KafkaLogOptions
                {
                    Connection = new KafkaOptions { BootstrapServers = nobody },
                    Topic = Topic,
                    BrokerTimeout = TimeSpan.FromSeconds(3),
                }
            )
        );
        Assert.Contains(nobody, e.Message, StringComparison.Ordinal);
        Assert.Contains("Connection refused", e.Message, StringComparison.Ordinal);
        Assert.Contains("correct bootstrapServers", e.Message, StringComparison.Ordinal);
    }

    private static string FindLeader(string servers)
    {
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = servers }).Build();
        var found = admin.GetMetadata(Topic, TimeSpan.FromSeconds(20));
        var leader = found.Brokers.Single(b => b.BrokerId == found.Topics[0].Partitions[0].Leader);
        return $"{leader.Host}:{leader.Port}";
    }
}
