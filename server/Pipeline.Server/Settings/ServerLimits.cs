namespace Pipeline.Server.Settings;

/// <summary>Limits for clients. Immutable.</summary>
public sealed record ServerLimits
{
    /// <summary>
    /// The most bytes of a request's body, after decompression. Default: 256 MiB. Bulk inserts are read in parts, and
    /// the limit applies to each document.
    /// </summary>
    public long MaxRequestBytes { get; init; } = 256L << 20;

    /// <summary>
    /// The time limit for an answer, except for streams, bulk inserts and changes. Default: 5 minutes.
    /// </summary>
    public TimeSpan MaxRequestTime { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// The time limit for a TLS handshake, for the head of a request, or for the negotiation of a TCP connection.
    /// Default: 30 seconds.
    /// </summary>
    public TimeSpan MaxHeadTime { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a connection may be idle between requests. Default: 2 minutes.</summary>
    public TimeSpan MaxIdleTime { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// The most simultaneous connections. A further one replaces the oldest that has not begun a request; without such
    /// a connection, it is closed at once. Where clients are authenticated, one client may have half of them, and
    /// clients that are not known an eighth together. At most half of the files that the process may open. Default:
    /// 20,000.
    /// </summary>
    public int MaxConnections { get; init; } = 20_000;

    /// <summary>The most databases. Default: 1,000.</summary>
    public int MaxDatabases { get; init; } = 1_000;

    /// <summary>
    /// The most bytes of memory that one request may use: its body, the documents that it finds and its answer. Streams
    /// and bulk inserts use none. Above it: 413. Default: 1 GiB.
    /// </summary>
    public long MaxRequestMemory { get; init; } = 1L << 30;

    /// <summary>
    /// The most bytes of memory that all requests may use at the same time. Above it: 429. Default: 2 GiB.
    /// </summary>
    public long MaxMemory { get; init; } = 2L << 30;

    /// <summary>
    /// The most streams of one client at a time. Each holds a read transaction of the database until its client has
    /// read it. Above it: 429. Default: 1,000.
    /// </summary>
    public int MaxClientStreams { get; init; } = 1_000;

    /// <summary>
    /// The most queries of one client that may wait for a turn. Two queries of a client run for each processor, at
    /// least four. Above it: 429. Default: 1,000.
    /// </summary>
    public int MaxWaitingQueries { get; init; } = 1_000;

    /// <summary>How long requests may continue when the server stops. Default: 5 seconds.</summary>
    public TimeSpan DrainTime { get; init; } = TimeSpan.FromSeconds(5);
}
