using System.Diagnostics;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Hosting.Backups;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.DeadLetters;
using Pipeline.Hosting.Logging;
using Pipeline.Hosting.Metrics;
using Pipeline.Hosting.Queries;
using Pipeline.Hosting.Revisions;
using Pipeline.Hosting.Studio;
using Pipeline.Hosting.Transfer;
using Pipeline.Server;
using Pipeline.Server.Errors;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Hosting;

/// <summary>
/// The worker's port: the databases in RavenDB's client protocol, and endpoints for health, metrics, statistics and the
/// scrub. Listens from <see cref="StartAsync"/> to disposal.
/// </summary>
internal sealed class WorkerServer : IAsyncDisposable
{
    private readonly PipelineServer _server;

    private WorkerServer(PipelineServer server) => _server = server;

    /// <summary>Where it listens, with the port that was given where 0 was asked for.</summary>
    public Uri Address => _server.Url;

    /// <summary>The server behind it.</summary>
    internal PipelineServer Server => _server;

    /// <summary>Starts to listen.</summary>
    /// <param name="options">Where, for whom, and which databases; the worker's endpoints are added to it.</param>
    /// <param name="ready">Looks at the worker; called for each <c>/health/ready</c>.</param>
    /// <param name="metrics">What <c>/metrics</c> shows.</param>
    /// <param name="own">
    /// The worker's database, which <c>/stats</c>, <c>/storage</c>, <c>/indexes</c>, <c>/subscriptions</c> and
    /// <c>/revisions</c> show, <c>/storage/scrub</c> verifies and <see cref="StorageEndpoint.CompactPath"/> compacts. If null, these
    /// endpoints do not exist.
    /// </param>
    /// <param name="path">The database's folder.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <param name="worker">
    /// The worker whose tasks <c>/etl</c> shows and changes, and whose backups are at <c>/backups</c>. If null, these
    /// endpoints do not exist.
    /// </param>
    /// <param name="filling">What fills the worker's folder, while it has no database.</param>
    /// <exception cref="AddressInUseException">Another process listens there.</exception>
    /// <exception cref="WorkerException">The address is none, or may not be used.</exception>
    public static async Task<WorkerServer> StartAsync(
        ServerOptions options,
        Func<CancellationToken, ValueTask<ReadinessReport>> ready,
        MetricCollector metrics,
        SharedDatabase? own,
        string path,
        CancellationToken cancellationToken,
        PipelineWorker? worker = null,
        NodeRefill? filling = null
    )
    {
        try
        {
            return new WorkerServer(
                await PipelineServer
                    .StartAsync(
                        options with
                        {
                            Shared = own is null ? [] : [own],
                            MapEndpoints = routes =>
                            {
                                Map(routes, ready, metrics, own?.Database.Name);
                                if (own is not null)
                                    Map(routes, own, path);
                                if (filling is not null)
                                    ClusterEndpoint.MapFilling(routes, filling);
                                if (worker is not null)
                                {
                                    ClusterEndpoint.Map(routes, () => worker.Cluster);
                                    TaskEndpoint.Map(routes, worker);
                                    BenchEndpoint.Map(routes, worker);
                                    JourneyEndpoint.Map(routes, worker);
                                    HistoryEndpoint.Map(routes, worker.History);
                                    SettingsEndpoint.Map(routes, worker);
                                    LogEndpoint.Map(routes, worker.Log);
                                    ClientsEndpoint.Map(routes, options);
                                    ReplayEndpoint.Map(routes, worker);
                                    ResumeEndpoint.Map(routes, worker);
                                    ConsumerEndpoint.Map(routes, worker);
                                }
                                if (worker?.Backups is { } backups)
                                {
                                    BackupEndpoint.Map(routes, backups);
                                    BackupPointEndpoint.Map(routes, worker, backups);
                                    BackupOrderEndpoint.Map(routes, worker);
                                }
                            },
                        },
                        cancellationToken
                    )
                    .ConfigureAwait(false)
            );
        }
        catch (ServerAddressException e) when (e.IsInUse)
        {
            throw new AddressInUseException(options.Url, e);
        }
        catch (ServerAddressException e)
        {
            throw new WorkerException(
                $"cannot listen on {options.Url} (server.url){e.Message[e.Message.IndexOf(": ", options.Url.ToString().Length, StringComparison.Ordinal)..]}",
                ExitCodes.Usage,
                e
            );
        }
        catch (Exception e) when (e is DatabaseExistsException or InvalidDatabaseNameException)
        {
            throw new WorkerException(
                $"{e.Message.TrimEnd('.')}: check the folder '{options.DataFolder}'",
                ExitCodes.Usage,
                e
            );
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static void Map(
        IEndpointRouteBuilder application,
        Func<CancellationToken, ValueTask<ReadinessReport>> ready,
        MetricCollector metrics,
        string? own
    )
    {
        var resource = new KeyValuePair<string, object?>[]
        {
            new("service.name", "pipeline"),
            new("service.version", WorkerVersion.Text),
            new("process.pid", Environment.ProcessId),
            new("process.creation.time", BeganAt()),
        };
        application
            .MapGet("/health/live", context => AdminAnswer.WriteAsync(context, new { status = "live" }))
            .For(ServerClearance.Anybody);
        application
            .MapGet(
                "/health/ready",
                async context =>
                {
                    var report = await ready(context.RequestAborted).ConfigureAwait(false);
                    // A probe needs no certificate. Names and positions are shown only to clients that may read the
                    // database.
                    var shown =
                        RequestRights.SeesAll(context) || (own is not null && RequestRights.MayRead(context, own))
                            ? (object)report
                            : new { status = report.Status };
                    await AdminAnswer
                        .WriteAsync(
                            context,
                            shown,
                            report.IsReady ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable
                        )
                        .ConfigureAwait(false);
                }
            )
            .For(ServerClearance.Anybody);
        application
            .MapGet(
                "/metrics",
                context =>
                {
                    context.Response.ContentType = PrometheusText.ContentType;
                    return context.Response.WriteAsync(
                        PrometheusText.Write(MetricRights.Of(context).Filter(metrics.Collect()), resource),
                        context.RequestAborted
                    );
                }
            )
            .For(ServerClearance.Known);
        StudioEndpoint.Map(application);
        application
            .MapFallback(context =>
                AdminAnswer.WriteAsync(
                    context,
                    new
                    {
                        error = $"there is no endpoint {context.Request.Path}; Studio is at /. The state is at /health/live, /health/ready, /metrics, /stats, /history, /settings, /logs, /clients, /backups and /storage. Data are at /databases, /indexes, /subscriptions, /consumers, /revisions, /export, /journey and /deadletters. Tasks are at /etl/tasks, /etl/transform and /etl/plan. POST also goes to /storage/scrub, /etl/bench, /etl/apply, /etl/replay, /etl/resume, /import and {StorageEndpoint.CompactPath}.",
                    },
                    StatusCodes.Status404NotFound
                )
            )
            .For(ServerClearance.Anybody);
    }

    private static string BeganAt()
    {
        using var process = Process.GetCurrentProcess();
        return process.StartTime.ToUniversalTime().ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture);
    }

    private static void Map(IEndpointRouteBuilder application, SharedDatabase own, string path)
    {
        var database = own.Database;
        SubscriptionEndpoint.Map(application, own.Subscriptions, database);
        IndexEndpoint.Map(application, database);
        DeadLetterEndpoint.Map(application, database, TimeProvider.System);
        RevisionEndpoint.Map(application, database);
        TransferEndpoint.Map(application, database);
        application.MapGet("/stats", context => AdminAnswer.WriteAsync(context, DatabaseView.Of(database, path)));
        StorageEndpoint.Map(application, database);
    }
}
