using Confluent.Kafka;
using Confluent.Kafka.Admin;

namespace Pipeline.Etl.Connectors.Kafka;

/// <content>The offsets at which partitions begin and end.</content>
internal sealed partial class KafkaTopics
{
    private static readonly TimeSpan OffsetsTimeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan OffsetsRetry = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// The first and the next offset of a partition, including open transactions. While the partition's leader is dead,
    /// waits for a new one.
    /// </summary>
    /// <remarks>
    /// The client asks the leader that it knows. If that leader is dead, the request times out without an error and
    /// without an offset, and so do later ones until the metadata are read again.
    /// </remarks>
    /// <exception cref="ConnectorException">No leader answers.</exception>
    internal async Task<(long First, long Next)> OffsetsAsync(
        TopicPartition partition,
        CancellationToken cancellationToken
    )
    {
        var started = context.Time.GetTimestamp();
        while (true)
        {
            ConnectorException fault;
            try
            {
                var found = await Task.WhenAll(
                        OffsetAsync(partition, OffsetSpec.Earliest(), cancellationToken),
                        OffsetAsync(partition, OffsetSpec.Latest(), cancellationToken)
                    )
                    .ConfigureAwait(false);
                if (found[0] >= 0 && found[1] >= 0)
                    return (found[0], found[1]);
                fault = faults.Transient(
                    $"the leader of {partition.Topic} [{partition.Partition.Value}] does not answer"
                );
            }
            catch (KafkaException e)
            {
                fault = faults.From($"the offsets of {partition.Topic} are unknown", e);
            }
            if (!fault.IsTransient || faults.SawRefusal || context.Time.GetElapsedTime(started) >= OffsetsTimeout)
                throw fault;
            await Task.Delay(OffsetsRetry, context.Time, cancellationToken).ConfigureAwait(false);
            await Task.Run(() => ReadMetadata(cancellationToken), cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<long> OffsetAsync(
        TopicPartition partition,
        OffsetSpec which,
        CancellationToken cancellationToken
    )
    {
        var result = await Admin()
            .ListOffsetsAsync(
                [new() { TopicPartition = partition, OffsetSpec = which }],
                new ListOffsetsOptions
                {
                    RequestTimeout = KafkaQuestion.Slice,
                    IsolationLevel = IsolationLevel.ReadUncommitted,
                }
            )
            .WaitAsync(cancellationToken)
            .ConfigureAwait(false);
        return result.ResultInfos[0].TopicPartitionOffsetError.Offset.Value;
    }
}
