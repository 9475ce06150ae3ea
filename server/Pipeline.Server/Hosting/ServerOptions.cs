using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Database;

namespace Pipeline.Server.Hosting;

/// <summary>Where a server listens and keeps its databases, and the limits it holds. Read once, at the start.</summary>
public sealed record ServerOptions
{
    /// <summary>Scheme, address and port; port 0 takes a free one. Only loopback without <see cref="AllowInsecure"/>: there is no authentication yet.</summary>
    public Uri Url { get; init; } = new("http://127.0.0.1:0");

    /// <summary>Whether addresses other than loopback may be used although nobody is asked who he is.</summary>
    public bool AllowInsecure { get; init; }

    /// <summary>The folder that has a folder for each database; null keeps them in memory.</summary>
    public string? DataFolder { get; init; }

    /// <summary>Options of each database that is made or opened; its name, path, clock and log are taken from here.</summary>
    public DatabaseOptions Database { get; init; } = new();

    /// <summary>The most bytes of a request's body, after decompression. Default: 256 MiB. Bulk inserts are read as they come and have no limit.</summary>
    public long MaxRequestBytes { get; init; } = 256L << 20;

    /// <summary>The most databases. Default: 1,000.</summary>
    public int MaxDatabases { get; init; } = 1_000;

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where to log.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;
}
