using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.ResponseCompression;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Database;
using Pipeline.Server.Databases;
using Pipeline.Server.Endpoints;
using Pipeline.Server.Errors;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Server;

/// <summary>
/// Databases behind one HTTP port that speaks RavenDB's client protocol, so that its clients work unchanged. Listens
/// from
/// <see cref="StartAsync"/> to disposal. Thread-safe.
/// </summary>
public sealed class PipelineServer : IAsyncDisposable
{
    /// <summary>The version of RavenDB's server whose protocol this is.</summary>
    public const string ProtocolVersion = Protocol.ProtocolVersion.Text;

    // The other half is for the databases' files and for what the process opens by itself.
    private const int PartOfOpenFiles = 2;
    private static readonly TimeSpan KeepAlive = TimeSpan.FromSeconds(30);
    private readonly WebApplication _application;
    private readonly ServerDatabases _databases;

    private readonly TimeSpan _drainTime;

    private PipelineServer(
        WebApplication application,
        ServerMount mount,
        ServerDatabases databases,
        Uri url,
        ServerOptions options
    )
    {
        Mount = mount;
        HasPort = options.HasPort;
        _application = application;
        _databases = databases;
        _drainTime = options.Limits.DrainTime;
        Url = url;
    }

    /// <summary>Where it listens, with the port that was given where 0 was asked for.</summary>
    public Uri Url { get; }

    /// <summary>Whether it listens at <see cref="Url"/>; otherwise only <see cref="Mount"/> answers.</summary>
    internal bool HasPort { get; }

    /// <summary>Answers requests of another web application.</summary>
    internal ServerMount Mount { get; }

    /// <summary>The names of its databases.</summary>
    public IReadOnlyList<string> DatabaseNames => [.. _databases.All.Select(d => d.Name)];

    /// <summary>Starts to listen.</summary>
    /// <exception cref="ServerAddressException">
    /// The address is in use, is none, or may not be used without authentication.
    /// </exception>
    public static async Task<PipelineServer> StartAsync(
        ServerOptions? options = null,
        CancellationToken cancellationToken = default
    )
    {
        options = (options ?? new ServerOptions()) with { Bound = new BoundPort() };
        if (options.HasPort)
        {
            options = WithinOpenFiles(options);
            ServerPort.Check(options);
        }

        var databases = new ServerDatabases(options);
        var application = Build(options, databases);
        try
        {
            await application.StartAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or SocketException or InvalidOperationException or FormatException)
        {
            await application.DisposeAsync().ConfigureAwait(false);
            await databases.DisposeAsync().ConfigureAwait(false);
            throw new ServerAddressException(
                options.Url,
                e.Message,
                e,
                isInUse: e.InnerException is AddressInUseException
            );
        }
        var mount = new ServerMount(
            application.Services,
            ((IApplicationBuilder)application).Build(),
            options.Limits.MaxRequestBytes
        );
        var url = options.HasPort
            ? new Uri(
                application
                    .Services.GetRequiredService<IServer>()
                    .Features.Get<IServerAddressesFeature>()!
                    .Addresses.First()
            )
            : options.Url;
        options.Bound.Number = options.HasPort ? url.Port : null;
        return new PipelineServer(application, mount, databases, url, options);
    }

    private static ServerOptions WithinOpenFiles(ServerOptions options)
    {
        var most = OpenFiles.Cap(options.Limits.MaxConnections, PartOfOpenFiles);
        if (most == options.Limits.MaxConnections)
            return options;
        ServerLog.FewOpenFiles(
            options.Loggers.CreateLogger("Pipeline.Server"),
            OpenFiles.Most,
            most,
            options.Limits.MaxConnections
        );
        return options with { Limits = options.Limits with { MaxConnections = most } };
    }

    private static WebApplication Build(ServerOptions options, ServerDatabases databases)
    {
        var logger = options.Loggers.CreateLogger("Pipeline.Server");
        if (options.DatabaseAdminsSendCSharp)
            ServerLog.CSharpOfDatabaseAdmins(logger);
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ApplicationName = "pipeline" });
        var authentication = new ClientAuthentication(options);
        var connections = new ConnectionSwitch(options, databases, authentication, logger);
        if (options.HasPort)
        {
            builder
                .WebHost.UseKestrelCore()
                .ConfigureKestrel(kestrel =>
                    ServerPort.Configure(kestrel, options, authentication, connections, logger)
                );
            builder.Services.Configure<SocketTransportOptions>(sockets =>
                sockets.MaxReadBufferSize = ServerPort.ReceivedBytes
            );
            builder.Services.AddSingleton<IConnectionListenerFactory>(services => new BoundedListeners(
                ActivatorUtilities.CreateInstance<SocketTransportFactory>(services),
                BoundedListeners.MaxSocketsFor(options.Limits.MaxConnections)
            ));
        }
        else
        {
            builder.Services.AddSingleton<IServer, NoPort>();
        }
        builder.Services.AddRoutingCore();
        builder.Services.AddRequestDecompression();
        builder.Services.AddResponseCompression(o =>
        {
            // A page of another site cannot send requests, so it cannot guess contents from the sizes of compressed
            // answers.
            o.EnableForHttps = true;
            o.MimeTypes =
            [
                "application/json",
                "application/x-ndjson",
                "text/csv",
                "text/html",
                "text/css",
                "text/javascript",
            ];
            o.Providers.Add<GzipCompressionProvider>();
        });
        builder.Services.Configure<GzipCompressionProviderOptions>(o => o.Level = CompressionLevel.Fastest);
        builder.Services.AddSingleton(options.Loggers);
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Services.Configure<HostOptions>(o => o.ShutdownTimeout = options.Limits.DrainTime);
        var application = builder.Build();
        connections.Stopping = application.Lifetime.ApplicationStopping;
        application.UseRouting();
        application.Use(NameVersionAsync);
        application.Use(RequestTrace.RunAsync);
        var guard = new RequestGuard(options, authentication.IsOn);
        application.Use((context, next) => guard.RunAsync(context, next, logger));
        application.Use(
            (context, next) =>
                BrowserGuard.RunAsync(context, next, authentication.IsOn && !MountedRequest.Is(context), logger)
        );
        if (options.Cluster is not null)
        {
            application.Use(
                (context, next) =>
                {
                    ForwardedRequest.TakeIdentity(context, authentication);
                    return next(context);
                }
            );
        }
        application.Use((context, next) => ClientAuthentication.RunAsync(context, next, logger));
        if (options.Cluster is { } cluster)
        {
            var gate = new ClusterGate(
                cluster,
                ForwardedRequest.NewForwarder(options.Time),
                options.Limits,
                options.Time,
                logger
            );
            application.Use(gate.RunAsync);
        }
        application.UseRequestDecompression();
        application.UseWhen(
            context =>
                options.Compression == AnswerCompression.Always
                || (options.Compression == AnswerCompression.Remote && IsRemote(context.Connection)),
            branch => branch.UseResponseCompression()
        );
        application.UseWebSockets(new WebSocketOptions { KeepAliveInterval = KeepAlive, KeepAliveTimeout = KeepAlive });
        ServerEndpoints.Map(application, databases, options, logger);
        options.MapEndpoints?.Invoke(application);
        application.UseEndpoints(static _ => { });
        return application;
    }

    /// <summary>The web host's services, with the options that it applies.</summary>
    internal IServiceProvider Services => _application.Services;

    /// <summary>All that it answers to.</summary>
    internal IReadOnlyList<Microsoft.AspNetCore.Http.Endpoint> Endpoints =>
        _application.Services.GetRequiredService<Microsoft.AspNetCore.Routing.EndpointDataSource>().Endpoints;

    /// <summary>Returns a database by its name, in any case; null if it does not exist.</summary>
    public DocumentDatabase? GetDatabase(string name) =>
        _databases.TryGet(name, out var database) ? database.Database : null;

    /// <summary>Returns the subscriptions of a database; null if the database does not exist.</summary>
    public SubscriptionHost? GetSubscriptions(string name) =>
        _databases.TryGet(name, out var database) ? database.Subscriptions : null;

    /// <summary>Makes a database.</summary>
    /// <exception cref="InvalidDatabaseNameException">It cannot be called so.</exception>
    /// <exception cref="DatabaseExistsException">There is one already.</exception>
    /// <exception cref="TooManyDatabasesException">There are as many as are allowed.</exception>
    public async Task<DocumentDatabase> CreateDatabaseAsync(
        string name,
        CancellationToken cancellationToken = default
    ) => (await _databases.CreateAsync(name, null, cancellationToken).ConfigureAwait(false)).Database;

    /// <summary>
    /// Accepts no more requests, waits up to <see cref="ServerLimits.DrainTime"/> for requests in progress, and closes
    /// the databases that it opened.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        using var deadline = new CancellationTokenSource(_drainTime);
        EndStreams();
        await Task.WhenAll(Mount.DrainAsync(deadline.Token), _application.StopAsync(deadline.Token))
            .ConfigureAwait(false);
        await _application.DisposeAsync().ConfigureAwait(false);
        await _databases.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>
    /// Ends requests that last until their client leaves: changes, and subscriptions as streams. Other requests are
    /// still answered.
    /// </summary>
    internal void EndStreams() => _application.Lifetime.StopApplication();

    private static bool IsRemote(ConnectionInfo connection) =>
        connection.RemoteIpAddress is { } address
        && !IPAddress.IsLoopback(address)
        && !address.Equals(connection.LocalIpAddress);

    private static async Task NameVersionAsync(HttpContext context, RequestDelegate next)
    {
        context.Response.Headers["Raven-Server-Version"] = ProtocolVersion;
        AnswerHeaders.Set(context);
        await next(context).ConfigureAwait(false);
        ServerMetrics.Answered(context.Response.StatusCode);
    }

    /// <summary>The one who started it decides when it ends, not the web host.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
