using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>
/// The block <c>cluster</c>: this worker is one of several nodes that keep one database through a shared log.
/// </summary>
public sealed class ClusterConfiguration
{
    /// <summary>The cluster's name.</summary>
    [Setting("Name of the cluster, the same for all its nodes: letters, digits, '-', '_' and '.'.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>This node's name.</summary>
    [Setting(
        "Name of this node, such as ${HOSTNAME}. No other node may have it, and the node keeps it for ever.",
        Required = true
    )]
    public string Node { get; init; } = "";

    /// <summary>Where clients and the other nodes reach this node.</summary>
    [Setting(
        "Address at which clients and the other nodes reach this node, such as https://10.0.0.1:8443.",
        Required = true
    )]
    public Uri Url { get; init; } = new("http://127.0.0.1:8080");

    /// <summary>The log that the nodes share.</summary>
    [Setting("The log that the nodes share; it keeps every write and decides which node leads.", Required = true)]
    public ClusterLogConfiguration Log { get; init; } = new();

    /// <summary>Which node answers reads.</summary>
    [Setting(
        "Which node answers a read that reaches a follower: leader sees every acknowledged write; follower answers at once from the node's own copy, which may be older; log is as leader, and asks the log before each read whether the leader still leads, for those who trust no lease. Default leader."
    )]
    public ClusterReads Reads { get; init; }

    /// <summary>The certificates of the other nodes.</summary>
    [Setting(
        "SHA-256 thumbprints of the other nodes' certificates, with TLS. A node with the same certificate as this one is always trusted."
    )]
    public IReadOnlyList<string> Certificates { get; init; } = [];
}

/// <summary>Which node answers a read.</summary>
public enum ClusterReads
{
    /// <summary>The leader; followers pass reads on to it.</summary>
    Leader,

    /// <summary>The node that a read reaches.</summary>
    Follower,

    /// <summary>The leader, after the log has confirmed that it leads.</summary>
    Log,
}

/// <summary>The block <c>cluster.log</c>, with exactly one kind of log.</summary>
public sealed class ClusterLogConfiguration
{
    /// <summary>A folder; absolute after loading.</summary>
    [Setting(
        "Folder of the log, relative to this file, to try a cluster of processes on one machine. It has one copy on one disk, so it protects from the end of a process only.",
        ConflictsWith = ["kafka"]
    )]
    public string? Directory { get; internal set; }

    /// <summary>A Kafka topic.</summary>
    [Setting("A topic of Apache Kafka with one partition.", ConflictsWith = ["directory"])]
    public KafkaLogConfiguration? Kafka { get; init; }

    /// <summary>Where the key of the log's records comes from.</summary>
    [Setting(
        "The key of the log; the same for all nodes. It seals the log's records (AES-256-GCM). One of the settings below gives it. Set it before the first start; a log keeps its key. An encrypted database needs it."
    )]
    public EncryptionConfiguration? Encryption { get; init; }

    /// <summary>How much of the log is kept.</summary>
    [Setting("How much of the log is kept.")]
    public LogTrimConfiguration Trim { get; init; } = new();

    internal int Kinds => (Directory is null ? 0 : 1) + (Kafka is null ? 0 : 1);
}
