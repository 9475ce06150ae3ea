using System.Globalization;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>
/// The block <c>actors.cluster</c>. The actor systems of all nodes form one cluster. Its shards run on the node
/// that leads the database.
/// </summary>
public sealed class ActorsClusterConfiguration
{
    /// <summary>The port of the actor system.</summary>
    [Setting(
        "TCP port on which this node's actors hear those of the other nodes. With TLS in the section server, actors use the same certificates.",
        Required = true,
        Minimum = 1,
        Maximum = 65_535
    )]
    public int Port { get; init; }

    /// <summary>The host that other nodes call; null for that of <c>cluster.url</c>.</summary>
    [Setting("Host name or address at which other nodes reach that port. Default: that of cluster.url.")]
    public string? Host { get; init; }

    /// <summary>Where to listen; null for the host.</summary>
    [Setting("Address on which to listen, such as 0.0.0.0. Default: the host.")]
    public string? Listen { get; init; }

    /// <summary>Where other nodes reach the actors of the node at an address, as host:port.</summary>
    internal string AddressAt(Uri node) => string.Create(CultureInfo.InvariantCulture, $"{Host ?? node.Host}:{Port}");
}
