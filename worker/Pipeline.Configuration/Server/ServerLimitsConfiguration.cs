using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>server.limits</c>.</summary>
public sealed class ServerLimitsConfiguration
{
    /// <summary>The size of a request.</summary>
    [Setting("Most bytes of a request, after decompression; of each document in a bulk insert.", Minimum = 1024)]
    public long RequestBytes { get; init; } = 256L << 20;

    /// <summary>The memory of a request.</summary>
    [Setting(
        "Most memory of one request: its body, the documents that it finds and its answer. A request that needs more gets 413. Streams and bulk inserts need none.",
        Minimum = 1048576
    )]
    public long RequestMemory { get; init; } = 1L << 30;

    /// <summary>The memory of all requests.</summary>
    [Setting("Most memory of all requests at a time. A request that needs more gets 429.", Minimum = 1048576)]
    public long Memory { get; init; } = 2L << 30;

    /// <summary>The time of an answer.</summary>
    [Setting("How long an answer may take. Does not apply to streams, bulk inserts and changes.", Minimum = 0.001)]
    public TimeSpan RequestTime { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The time of a request's head.</summary>
    [Setting(
        "How long a client may take to send a request's headers, or to negotiate TLS or a subscription.",
        Minimum = 0.001
    )]
    public TimeSpan HeadTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The time between requests.</summary>
    [Setting("How long a connection may be idle between requests.", Minimum = 0.001)]
    public TimeSpan IdleTime { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The connections.</summary>
    [Setting(
        "Most connections at a time. A further one replaces the oldest that has sent no request, or is closed at once.",
        Minimum = 1
    )]
    public int Connections { get; init; } = 20_000;

    /// <summary>The databases.</summary>
    [Setting("Most databases.", Minimum = 1)]
    public int Databases { get; init; } = 1_000;

    /// <summary>The time at the end.</summary>
    [Setting("How long requests in progress may continue when the worker stops.", Minimum = 0)]
    public TimeSpan DrainTime { get; init; } = TimeSpan.FromSeconds(5);
}
