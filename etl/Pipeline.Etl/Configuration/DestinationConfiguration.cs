using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>
/// One entry of <c>destinations</c> of a task: more options of its messages to one destination. A connector refuses
/// options that it does not support.
/// </summary>
public sealed class DestinationConfiguration
{
    /// <summary>The partition.</summary>
    [Setting("Kafka: the partition of all its messages, in place of the one chosen by their keys.", Minimum = 0)]
    public int? Partition { get; init; }

    /// <summary>Headers.</summary>
    [Setting(
        "Headers of each message. Kafka and RabbitMQ get headers; queues and files get CloudEvents attributes, whose names are lower-case letters and digits."
    )]
    public IReadOnlyDictionary<string, string> Headers { get; init; } = new Dictionary<string, string>();

    /// <summary>How long an unread message is kept.</summary>
    [Setting("How long an unread message is kept: RabbitMQ, Azure queues.", Minimum = 1)]
    public TimeSpan? Ttl { get; init; }

    /// <summary>How long a message stays hidden.</summary>
    [Setting(
        "How long a new message stays hidden from readers. Azure queues: at most 7d. RabbitMQ: needs an exchange of the plugin for delayed messages ('x-delay').",
        Minimum = 0.001
    )]
    public TimeSpan? Delay { get; init; }

    /// <summary>The value by which the broker recognizes repeats.</summary>
    [Setting(
        "For RabbitMQ with the deduplication plugin, which drops repeats. The header 'x-deduplication-header' carries the message's id or its key."
    )]
    public DedupKey Dedup { get; init; }

    /// <summary>The keys that are set.</summary>
    internal IEnumerable<string> Given
    {
        get
        {
            if (Partition is not null)
                yield return "partition";
            if (Headers.Count > 0)
                yield return "headers";
            if (Ttl is not null)
                yield return "ttl";
            if (Delay is not null)
                yield return "delay";
            if (Dedup != DedupKey.None)
                yield return "dedup";
        }
    }
}
