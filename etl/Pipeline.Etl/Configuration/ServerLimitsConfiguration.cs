using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>server.limits</c>.</summary>
public sealed class ServerLimitsConfiguration
{
    /// <summary>The size of a request.</summary>
    [Setting("Most bytes of a request, after decompression; of each document in a bulk insert.", Minimum = 1024)]
    public long RequestBytes { get; init; } = 256L << 20;

    /// <summary>The memory of a request.</summary>
    [Setting("Most memory that one request may use: its body, the documents that it finds and its answer; beyond it the answer is 413. Streams and bulk inserts use none.", Minimum = 1048576)]
    public long RequestMemory { get; init; } = 1L << 30;

    /// <summary>The memory of all requests.</summary>
    [Setting("Most memory that all requests may use at a time; beyond it the answer is 429.", Minimum = 1048576)]
    public long Memory { get; init; } = 2L << 30;

    /// <summary>The time of an answer.</summary>
    [Setting("How long an answer may take, but for streams, bulk inserts and changes.", Minimum = 0.001)]
    public TimeSpan RequestTime { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The time of a request's head.</summary>
    [Setting("How long a client may take for the head of a request, TLS, or the negotiation of a subscription.", Minimum = 0.001)]
    public TimeSpan HeadTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The time between requests.</summary>
    [Setting("How long a connection may be idle between requests.", Minimum = 0.001)]
    public TimeSpan IdleTime { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The connections.</summary>
    [Setting("Most connections at a time; a further one replaces the oldest without a request, or is closed at once.", Minimum = 1)]
    public int Connections { get; init; } = 20_000;

    /// <summary>The databases.</summary>
    [Setting("Most databases.", Minimum = 1)]
    public int Databases { get; init; } = 1_000;

    /// <summary>The time at the end.</summary>
    [Setting("How long requests on their way may go on when the worker ends.", Minimum = 0)]
    public TimeSpan DrainTime { get; init; } = TimeSpan.FromSeconds(5);
}
