using System.Diagnostics;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>The topic of the log as the brokers see it.</summary>
internal sealed class FaultedTopic(KafkaCluster brokers)
{
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan MaxSync = TimeSpan.FromSeconds(20);

    /// <summary>The broker that leads the log's partition, from 0; null if there is none.</summary>
    public async Task<int?> FindLeaderAsync(CancellationToken ct)
    {
        var partitions = await Task.Run(Describe, ct).ConfigureAwait(false);
        var log = partitions.Find(p => p.Topic == FaultCluster.Topic);
        return log.Partition is { Leader: > 0 } found ? found.Leader - 1 : null;
    }

    /// <summary>Waits until all copies of all partitions are in sync; false if that takes too long.</summary>
    public Task<bool> WaitUntilInSyncAsync(TimeSpan most) =>
        UntilAsync(most, found => found.TrueForAll(p => p.Partition.InSyncReplicas.Length == KafkaCluster.Count));

    /// <summary>Waits until no copy of a broker counts as in sync.</summary>
    /// <exception cref="TimeoutException">That takes too long.</exception>
    public async Task WaitUntilOutOfSyncAsync(int broker)
    {
        if (!await UntilAsync(MaxSync, f => f.TrueForAll(p => !p.Partition.InSyncReplicas.Contains(broker + 1))))
            throw new TimeoutException($"broker {broker + 1} was killed, but still counts as in sync");
    }

    /// <summary>Moves the log's partition to the first broker of its list.</summary>
    /// <returns>What the brokers say.</returns>
    public async Task<string> ElectPreferredAsync()
    {
        using var admin = Admin();
        try
        {
            var done = await admin.ElectLeadersAsync(
                ElectionType.Preferred,
                [new TopicPartition(FaultCluster.Topic, 0)],
                new ElectLeadersOptions { RequestTimeout = MaxAnswer }
            );
            return string.Join(", ", done.TopicPartitions.Select(p => p.Error.Code));
        }
        catch (KafkaException e)
        {
            return e.Error.Code.ToString();
        }
    }

    private async Task<bool> UntilAsync(
        TimeSpan most,
        Predicate<List<(string Topic, PartitionMetadata Partition)>> holds
    )
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(Look))
        {
            var found = await Task.Run(Describe);
            if (found.Count > 0 && holds(found))
                return true;
            if (Stopwatch.GetElapsedTime(began) > most)
                return false;
        }
    }

    private List<(string Topic, PartitionMetadata Partition)> Describe()
    {
        using var admin = Admin();
        try
        {
            return [.. admin.GetMetadata(MaxAnswer).Topics.SelectMany(t => t.Partitions.Select(p => (t.Topic, p)))];
        }
        catch (KafkaException)
        {
            return []; // no broker answers now
        }
    }

    private IAdminClient Admin() =>
        new AdminClientBuilder(new AdminClientConfig { BootstrapServers = brokers.Endpoint })
            .SetLogHandler((_, _) => { })
            .Build();
}
