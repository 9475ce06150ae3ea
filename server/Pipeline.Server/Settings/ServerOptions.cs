using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Database;
using Pipeline.Database.Certificates;
using Pipeline.Server.Cluster;
using Pipeline.Server.Security;

namespace Pipeline.Server.Settings;

/// <summary>
/// Where a server listens and keeps its databases, whom it serves, and the limits it holds. Read once, at the start.
/// </summary>
public sealed record ServerOptions
{
    /// <summary>
    /// Scheme, address and port; port 0 takes a free one. <c>https</c> needs <see cref="Certificate"/>.
    /// </summary>
    public Uri Url { get; init; } = new("http://127.0.0.1:0");

    /// <summary>The server's certificate with its private key; see <see cref="CertificateFile"/>.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>
    /// The files of <see cref="Certificate"/>. When they change, new connections use the new certificate. Null keeps
    /// the certificate.
    /// </summary>
    public CertificateFiles? CertificateFiles { get; init; }

    /// <summary>The clients that may connect, by their certificates. If empty, clients are not authenticated.</summary>
    public IReadOnlyList<ClientPermission> Clients { get; init; } = [];

    /// <summary>
    /// Whether the server may listen on addresses other than loopback although clients are not authenticated.
    /// </summary>
    public bool AllowInsecure { get; init; }

    /// <summary>
    /// Whether an admin of one database may define its indexes in C#. Compiled C# runs as the server itself: it can
    /// reach beyond the database. False leaves C# to the server's admins.
    /// </summary>
    public bool DatabaseAdminsSendCSharp { get; init; }

    /// <summary>The folder that has a folder for each database; null keeps them in memory.</summary>
    public string? DataFolder { get; init; }

    /// <summary>Whether clients may make databases. Those in <see cref="DataFolder"/> are served in any case.</summary>
    public bool CreatesDatabases { get; init; } = true;

    /// <summary>Databases that are open already.</summary>
    public IReadOnlyList<SharedDatabase> Shared { get; init; } = [];

    /// <summary>
    /// Options of each database that is made or opened; its name, path, clock and log are taken from here.
    /// </summary>
    public DatabaseOptions Database { get; init; } = new();

    /// <summary>For whom answers are compressed.</summary>
    public AnswerCompression Compression { get; init; }

    /// <summary>Limits of clients.</summary>
    public ServerLimits Limits { get; init; } = new();

    /// <summary>
    /// How long a query waits for its index where the client does not ask for it; null does not wait, as clients of
    /// RavenDB expect.
    /// </summary>
    public TimeSpan? QueryWait { get; init; }

    /// <summary>
    /// Adds endpoints of others. Each says whom it is for by <see cref="ServerClearanceExtensions.For"/>; else it is
    /// for admins. Nothing is at <c>/</c> and beneath <c>/studio</c>.
    /// </summary>
    public Action<IEndpointRouteBuilder>? MapEndpoints { get; init; }

    /// <summary>
    /// Whether the server listens at <see cref="Url"/>. Without a port, requests come only through another web
    /// application, which authorizes them.
    /// </summary>
    internal bool HasPort { get; init; } = true;

    /// <summary>The server's cluster; null if it is alone.</summary>
    internal IServerCluster? Cluster { get; init; }

    /// <summary>The port of a started server; null if it has none.</summary>
    internal BoundPort Bound { get; init; } = new();

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where to log.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;
}
