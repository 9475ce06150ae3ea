namespace Pipeline.Server.Hosting;

/// <summary>What clients may use. Immutable.</summary>
public sealed record ServerLimits
{
    /// <summary>The most bytes of a request's body, after decompression. Default: 256 MiB. Bulk inserts are read as they come: it holds for each of their documents there.</summary>
    public long MaxRequestBytes { get; init; } = 256L << 20;

    /// <summary>How long an answer may take, but for streams, bulk inserts and changes. Default: 5 minutes.</summary>
    public TimeSpan MaxRequestTime { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long a client may take for the head of a request, or the negotiation of a TCP connection. Default: 30 seconds.</summary>
    public TimeSpan MaxHeadTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a connection may be idle between requests. Default: 2 minutes.</summary>
    public TimeSpan MaxIdleTime { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The most connections at a time; further ones are closed at once. Default: 20,000.</summary>
    public int MaxConnections { get; init; } = 20_000;

    /// <summary>The most databases. Default: 1,000.</summary>
    public int MaxDatabases { get; init; } = 1_000;

    /// <summary>The most bytes of memory that one request may use: its body, the documents that it finds and its answer. Streams and bulk inserts use none. Beyond it: 413. Default: 1 GiB.</summary>
    public long MaxRequestMemory { get; init; } = 1L << 30;

    /// <summary>The most bytes of memory that all requests may use at a time. Beyond it: 429. Default: 2 GiB.</summary>
    public long MaxMemory { get; init; } = 2L << 30;

    /// <summary>How long requests may go on when the server ends. Default: 5 seconds.</summary>
    public TimeSpan DrainTime { get; init; } = TimeSpan.FromSeconds(5);
}
