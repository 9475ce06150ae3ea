using System.Collections.Concurrent;
using System.Globalization;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>A topic as a sender needs to know it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Partitions">How many partitions it has.</param>
/// <param name="MaxMessageBytes">
/// The largest batch of records that the broker accepts for it, and so the largest record.
/// </param>
internal sealed record KafkaTopic(string Name, int Partitions, int MaxMessageBytes);

/// <summary>
/// Knows which topics exist and how large their messages may be, and creates missing topics. Thread-safe.
/// </summary>
internal sealed partial class KafkaTopics(
    KafkaOptions options,
    ConnectorContext context,
    KafkaFaults faults,
    ILogger logger
) : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private readonly ConcurrentDictionary<string, KafkaTopic> _known = new(StringComparer.Ordinal);
    private readonly Lock _lock = new();
    private IAdminClient? _admin;

    internal static string? FindNameFault(string name)
    {
        if (name.Length is 0 or > 249)
            return $"a topic's name has 1 to 249 characters, not {name.Length}";
        if (name is "." or "..")
            return $"'{name}' is not a topic's name";
        foreach (var c in name)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('.' or '_' or '-'))
                return $"'{name}' is not a topic's name: only ASCII letters, digits, '.', '_' and '-' are allowed";
        }

        return null;
    }

    /// <summary>The topic, or <see langword="null"/> if it is not known yet.</summary>
    internal KafkaTopic? Find(string name) => _known.GetValueOrDefault(name);

    /// <summary>Forgets all topics, after one was deleted or the connection was lost.</summary>
    internal void Forget() => _known.Clear();

    /// <summary>Asks the cluster for its brokers.</summary>
    /// <exception cref="ConnectorException">None answers.</exception>
    internal Task CheckAsync(CancellationToken cancellationToken) =>
        Task.Run(() => ReadMetadata(cancellationToken), cancellationToken);

    /// <summary>Ensures that the topics exist and are known.</summary>
    /// <returns>The missing topics that may not be created, each with the reason.</returns>
    /// <exception cref="ConnectorException">
    /// The cluster does not answer, or refuses for a reason unrelated to the topic.
    /// </exception>
    internal async Task<IReadOnlyDictionary<string, string>> EnsureAsync(
        IReadOnlyCollection<string> names,
        CancellationToken cancellationToken
    )
    {
        var refused = new Dictionary<string, string>(StringComparer.Ordinal);
        for (var attempt = 0; ; attempt++)
        {
            var metadata = await Task.Run(() => ReadMetadata(cancellationToken), cancellationToken)
                .ConfigureAwait(false);
            var there = metadata
                .Topics.Where(t => names.Contains(t.Topic) && !t.Error.IsError && t.Partitions.Count > 0)
                .ToDictionary(t => t.Topic, StringComparer.Ordinal);
            var missing = names.Where(n => !there.ContainsKey(n) && !refused.ContainsKey(n)).ToList();
            if (missing.Count == 0)
            {
                await DescribeAsync(there.Values, cancellationToken).ConfigureAwait(false);
                return refused;
            }

            if (!options.Create)
            {
                foreach (var name in missing)
                {
                    refused[name] =
                        $"topic '{name}' does not exist, and connection '{context.Connection}' says create: false";
                }

                continue;
            }

            if (attempt == 20)
                throw faults.Transient($"topic '{missing[0]}' was created but the brokers do not know it yet");
            if (attempt > 0)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100 * attempt), context.Time, cancellationToken)
                    .ConfigureAwait(false);
            }

            await CreateAsync(missing, refused, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _admin?.Dispose();
            _admin = null;
        }
    }

    private async Task CreateAsync(
        List<string> names,
        Dictionary<string, string> refused,
        CancellationToken cancellationToken
    )
    {
        var specifications = names.Select(Specify).ToList();
        try
        {
            await AskAsync(slice => KafkaQuestion.CreateTopicsAsync(Admin(), specifications, slice), cancellationToken)
                .ConfigureAwait(false);
            foreach (var name in names)
                ConnectorLog.TopicCreated(logger, context.Connection, name);
        }
        catch (CreateTopicsException e)
        {
            foreach (var result in e.Results)
            {
                switch (result.Error.Code)
                {
                    case ErrorCode.NoError:
                        ConnectorLog.TopicCreated(logger, context.Connection, result.Topic);
                        break;
                    case ErrorCode.TopicAlreadyExists:
                        break;
                    case ErrorCode.TopicException or ErrorCode.PolicyViolation:
                        refused[result.Topic] = $"topic '{result.Topic}' cannot be created: {result.Error.Reason}";
                        break;
                    default:
                        throw faults.From($"topic '{result.Topic}' was not created", result.Error, e);
                }
            }
        }
        catch (KafkaException e)
        {
            throw faults.From($"topic '{names[0]}' was not created", e);
        }
    }

    private TopicSpecification Specify(string name)
    {
        var replicas = (short)(options.ReplicationFactor ?? -1);
        if (name != options.PositionsTopic)
        {
            return new TopicSpecification
            {
                Name = name,
                NumPartitions = options.Partitions ?? -1,
                ReplicationFactor = replicas,
            };
        }

        // Segments are small and compacted early: a start reads the tail of one partition, and must find an idle task's
        // record among those of running tasks.
        return new TopicSpecification
        {
            Name = name,
            NumPartitions = 8,
            ReplicationFactor = replicas,
            Configs = new()
            {
                ["cleanup.policy"] = "compact",
                ["segment.bytes"] = "16777216",
                ["min.cleanable.dirty.ratio"] = "0.1",
            },
        };
    }

    private async Task DescribeAsync(IEnumerable<TopicMetadata> topics, CancellationToken cancellationToken)
    {
        var unknown = topics.Where(t => !_known.ContainsKey(t.Topic)).ToList();
        if (unknown.Count == 0)
            return;
        var limits = new Dictionary<string, int>(StringComparer.Ordinal);
        try
        {
            var described = await DescribeAsync(unknown.Select(t => t.Topic), cancellationToken).ConfigureAwait(false);
            foreach (var topic in described)
            {
                if (
                    topic.Entries.TryGetValue("max.message.bytes", out var entry)
                    && int.TryParse(entry.Value, NumberStyles.None, CultureInfo.InvariantCulture, out var bytes)
                )
                {
                    limits[topic.ConfigResource.Name] = bytes;
                }
            }
        }
        catch (KafkaException e)
        {
            // A client that may write to a topic may lack the right to read its configuration. The broker then refuses
            // messages that are too large.
            ConnectorLog.TopicLimitsUnknown(logger, context.Connection, e.Error.Reason);
        }

        foreach (var topic in unknown)
        {
            _known[topic.Topic] = new KafkaTopic(
                topic.Topic,
                topic.Partitions.Count,
                limits.GetValueOrDefault(topic.Topic, int.MaxValue)
            );
        }
    }

    private Task<List<DescribeConfigsResult>> DescribeAsync(
        IEnumerable<string> topics,
        CancellationToken cancellationToken
    )
    {
        var resources = topics.Select(t => new ConfigResource { Type = ResourceType.Topic, Name = t }).ToList();
        return AskAsync(
            slice => Admin().DescribeConfigsAsync(resources, new DescribeConfigsOptions { RequestTimeout = slice }),
            cancellationToken
        );
    }

    /// <summary>Asks the controller; once no broker can be reached, metadata say so.</summary>
    private Task<T> AskAsync<T>(Func<TimeSpan, Task<T>> ask, CancellationToken cancellationToken) =>
        KafkaQuestion.AskAsync(
            ask,
            () => Task.Run(() => ReadMetadata(cancellationToken), cancellationToken),
            Timeout,
            context.Time,
            cancellationToken
        );

    private Metadata ReadMetadata(CancellationToken cancellationToken)
    {
        try
        {
            return KafkaQuestion.AskForBrokers(
                slice => Admin().GetMetadata(slice),
                () => faults.SawRefusal,
                Timeout,
                context.Time,
                cancellationToken
            );
        }
        catch (KafkaException e)
        {
            throw faults.From("no broker answers", e);
        }
    }

    private IAdminClient Admin()
    {
        lock (_lock)
        {
            return _admin ??= new AdminClientBuilder(
                KafkaSettings.Apply(new AdminClientConfig(), options, context.BaseDirectory)
            )
                .SetErrorHandler((_, error) => faults.Note(error))
                .SetLogHandler((_, message) => ConnectorLog.KafkaClient(logger, context.Connection, message.Message))
                .Build();
        }
    }
}
