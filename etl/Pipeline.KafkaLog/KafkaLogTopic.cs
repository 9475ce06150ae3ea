using System.Globalization;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Microsoft.Extensions.Logging;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.KafkaLog;

/// <summary>
/// Makes the topic of a log, and refuses one that would lose or forget records. One that loses the only copy of a
/// record, or deletes records by age, breaks the promise that an acknowledged write is kept.
/// </summary>
/// <param name="options">Where it is.</param>
/// <param name="admin">A client of the brokers.</param>
/// <param name="name">The log's name in messages.</param>
/// <param name="logger">Takes messages.</param>
/// <param name="findReason">Why the client could not connect to the broker that it tried last; null if it could.</param>
internal sealed class KafkaLogTopic(
    KafkaLogOptions options,
    IAdminClient admin,
    string name,
    ILogger logger,
    Func<string?> findReason
)
{
    private const int Copies = 3;
    private const int LeastInSync = 2;

    // A record batch has a header, and each record its lengths.
    private const int BatchBytes = 1_000;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>Makes sure that the topic is there and fit.</summary>
    /// <exception cref="KafkaLogRefusedException">It is missing and may not be created, or is not fit.</exception>
    /// <exception cref="KafkaLogUnavailableException">The brokers do not answer.</exception>
    public async Task EnsureAsync(CancellationToken ct)
    {
        var began = options.Time.GetTimestamp();
        var creates = options.Connection.Create;
        while (true)
        {
            var (topic, brokers) = await DescribeAsync(ct).ConfigureAwait(false);
            if (topic is not null)
            {
                await CheckAsync(topic, ct).ConfigureAwait(false);
                return;
            }
            if (!options.Connection.Create)
            {
                throw new KafkaLogRefusedException(
                    name,
                    [$"the topic '{options.Topic}' does not exist, and cluster.log.kafka says create: false"]
                );
            }
            if (creates)
                await CreateAsync(brokers, ct).ConfigureAwait(false);
            creates = false;
            if (options.Time.GetElapsedTime(began) > options.BrokerTimeout * 4)
            {
                throw new KafkaLogUnavailableException(
                    name,
                    "the topic was created, but the brokers do not know it yet"
                );
            }
            await Task.Delay(Pause, options.Time, ct).ConfigureAwait(false);
        }
    }

    private async Task<(TopicMetadata? Topic, int Brokers)> DescribeAsync(CancellationToken ct)
    {
        try
        {
            // Of all topics: a broker that is asked for one may create it, with its own settings.
            var metadata = await ReadMetadataAsync(options.BrokerTimeout, ct).ConfigureAwait(false);
            var topic = metadata.Topics.Find(t =>
                t.Topic == options.Topic && !t.Error.IsError && t.Partitions.Count > 0
            );
            return (topic, metadata.Brokers.Count);
        }
        catch (KafkaException e)
        {
            throw new KafkaLogUnavailableException(
                name,
                $"no broker answers ({findReason() ?? e.Error.Reason}); start Kafka, or correct bootstrapServers and the security settings of cluster.log.kafka.",
                e
            );
        }
    }

    private async Task CreateAsync(int brokers, CancellationToken ct)
    {
        var copies = options.AllowFewerCopies ? Math.Min(Copies, Math.Max(1, brokers)) : Copies;
        try
        {
            var topic = new TopicSpecification
            {
                Name = options.Topic,
                NumPartitions = 1,
                ReplicationFactor = (short)copies,
                Configs = new Dictionary<string, string>
                {
                    ["cleanup.policy"] = "delete",
                    ["retention.ms"] = "-1",
                    ["retention.bytes"] = "-1",
                    ["min.insync.replicas"] = Text(Math.Min(LeastInSync, copies)),
                    ["unclean.leader.election.enable"] = "false",
                },
            };
            await AskAsync(slice => KafkaQuestion.CreateTopicsAsync(admin, [topic], slice), ct).ConfigureAwait(false);
            KafkaLogMessages.Created(logger, name, copies);
        }
        catch (CreateTopicsException e) when (e.Results.TrueForAll(r => r.Error.Code == ErrorCode.TopicAlreadyExists))
        {
            // Another node was faster.
            KafkaLogMessages.Client(logger, name, e.Message);
        }
        catch (CreateTopicsException e)
            when (e.Results.Exists(r => r.Error.Code == ErrorCode.InvalidReplicationFactor) && brokers < Copies)
        {
            throw new KafkaLogRefusedException(
                name,
                [
                    $"the topic needs {Copies} copies, and there {(brokers == 1 ? "is 1 broker" : $"are {brokers} brokers")}: add brokers, or write allowFewerCopies: true to try a cluster",
                ]
            );
        }
        catch (KafkaException e)
        {
            throw new KafkaLogUnavailableException(name, $"the topic was not created: {ReasonOf(e)}", e);
        }
    }

    private async Task CheckAsync(TopicMetadata topic, CancellationToken ct)
    {
        var settings = await ReadSettingsAsync(ct).ConfigureAwait(false);
        var copies = topic.Partitions.Min(p => p.Replicas.Length);
        List<string> faults = [];
        if (topic.Partitions.Count != 1)
            faults.Add($"it has {topic.Partitions.Count} partitions, and must have 1");
        Demand("cleanup.policy", v => v == "delete", "delete");
        Demand("retention.ms", v => v == "-1", "-1");
        Demand("retention.bytes", v => v == "-1", "-1");
        Demand("unclean.leader.election.enable", v => v == "false", "false");
        var largest = options.MaxRecordBytes + BatchBytes;
        Demand(
            "max.message.bytes",
            v => long.TryParse(v, NumberStyles.None, CultureInfo.InvariantCulture, out var n) && n >= largest,
            $"at least {Text(largest)}"
        );
        List<string> few = [];
        if (copies < Copies)
            few.Add($"it has {copies} {(copies == 1 ? "copy" : "copies")}, and must have {Copies}");
        var least = settings.GetValueOrDefault("min.insync.replicas");
        if (
            !int.TryParse(least, NumberStyles.None, CultureInfo.InvariantCulture, out var inSync)
            || inSync < LeastInSync
        )
        {
            few.Add($"min.insync.replicas is {least ?? "not told"}, and must be at least {LeastInSync}");
        }
        if (options.AllowFewerCopies && few.Count > 0)
            KafkaLogMessages.FewCopies(logger, name, string.Join("; ", few));
        else
            faults.AddRange(few.Select(f => f + " (allowFewerCopies: true lets one try a cluster)"));
        if (faults.Count > 0)
            throw new KafkaLogRefusedException(name, faults);

        void Demand(string setting, Func<string, bool> fits, string needed)
        {
            if (!settings.TryGetValue(setting, out var value))
                faults.Add($"the broker does not tell {setting}, which must be {needed}");
            else if (!fits(value))
                faults.Add($"{setting} is {value}, and must be {needed}");
        }
    }

    private async Task<Dictionary<string, string>> ReadSettingsAsync(CancellationToken ct)
    {
        try
        {
            var topic = new ConfigResource { Type = ResourceType.Topic, Name = options.Topic };
            var described = await AskAsync(
                    slice => admin.DescribeConfigsAsync([topic], new DescribeConfigsOptions { RequestTimeout = slice }),
                    ct
                )
                .ConfigureAwait(false);
            return described[0].Entries.ToDictionary(e => e.Key, e => e.Value.Value, StringComparer.Ordinal);
        }
        catch (KafkaException e)
        {
            throw new KafkaLogUnavailableException(
                name,
                $"the settings of the topic cannot be read: {ReasonOf(e)}{HintFor(e)}",
                e
            );
        }
    }

    private Task<T> AskAsync<T>(Func<TimeSpan, Task<T>> ask, CancellationToken ct) =>
        KafkaQuestion.AskAsync(ask, () => LookForBrokersAsync(ct), options.BrokerTimeout, options.Time, ct);

    private async Task LookForBrokersAsync(CancellationToken ct)
    {
        try
        {
            await ReadMetadataAsync(KafkaQuestion.Slice, ct).ConfigureAwait(false);
        }
        catch (KafkaException e)
        {
            KafkaLogMessages.Client(logger, name, e.Error.Reason);
        }
    }

    private Task<Metadata> ReadMetadataAsync(TimeSpan timeout, CancellationToken ct) =>
        Task.Run(() => admin.GetMetadata(timeout), ct);

    private static Error ErrorOf(KafkaException e) =>
        e switch
        {
            CreateTopicsException { Results: [{ Error: { IsError: true } error }, ..] } => error,
            DescribeConfigsException { Results: [{ Error: { IsError: true } error }, ..] } => error,
            _ => e.Error,
        };

    private static string ReasonOf(KafkaException e) => ErrorOf(e).Reason;

    private static string HintFor(KafkaException e) =>
        ErrorOf(e).Code is ErrorCode.TopicAuthorizationFailed or ErrorCode.ClusterAuthorizationFailed
            ? ". The user needs the right DescribeConfigs on it."
            : "";

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
