using System.Globalization;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Database;
using Pipeline.Database.Maintenance;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.Worker.Metrics;
using Pipeline.Worker.Queries;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Hosting;

/// <summary>The worker's HTTP port: health, metrics, figures of database and storage, the scrub. Listens from <see cref="StartAsync"/> to disposal.</summary>
internal sealed class WorkerServer : IAsyncDisposable
{
    /// <summary>A POST there makes the data file shorter; it is answered when that is done, and stops it when the client goes away.</summary>
    public const string CompactPath = "/storage/compact";

    private readonly WebApplication _application;

    private WorkerServer(WebApplication application, Uri address)
    {
        _application = application;
        Address = address;
    }

    /// <summary>Where it listens, with the port that was given where 0 was asked for.</summary>
    public Uri Address { get; }

    /// <summary>Starts to listen.</summary>
    /// <param name="url">Scheme, host and port; port 0 takes a free one.</param>
    /// <param name="ready">Looks at the worker; called for each <c>/health/ready</c>.</param>
    /// <param name="metrics">What <c>/metrics</c> shows.</param>
    /// <param name="database">What <c>/stats</c> and <c>/storage</c> show, <c>/storage/scrub</c> verifies and <see cref="CompactPath"/> compacts; nothing is there where it is null.</param>
    /// <param name="subscriptions">The database's subscriptions, for <c>/databases/NAME/subscriptions</c>; not shown where it is null.</param>
    /// <param name="path">The database's folder.</param>
    /// <param name="loggers">Where Kestrel logs.</param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <exception cref="AddressInUseException">Another process listens there.</exception>
    /// <exception cref="WorkerException">The address is none, or may not be used.</exception>
    public static async Task<WorkerServer> StartAsync(
        Uri url, Func<CancellationToken, ValueTask<HealthReport>> ready, MetricCollector metrics, DocumentDatabase? database, SubscriptionHost? subscriptions, string path, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ApplicationName = "pipeline" });
        builder.WebHost.UseKestrelCore().UseUrls(url.GetLeftPart(UriPartial.Authority));
        builder.WebHost.ConfigureKestrel(Limit);
        builder.Services.AddRoutingCore();
        builder.Services.AddSingleton(loggers);
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Services.Configure<HostOptions>(o => o.ShutdownTimeout = TimeSpan.FromSeconds(2));
        var application = builder.Build();
        Map(application, ready, metrics);
        if (database is not null && subscriptions is not null)
            SubscriptionEndpoint.Map(application, database, subscriptions, WriteJsonAsync);
        if (database is not null)
            Map(application, database, path);
        try
        {
            await application.StartAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (IOException e) when (e.InnerException is Microsoft.AspNetCore.Connections.AddressInUseException)
        {
            await application.DisposeAsync().ConfigureAwait(false);
            throw new AddressInUseException(url, e);
        }
        catch (Exception e) when (e is IOException or SocketException or InvalidOperationException or FormatException)
        {
            await application.DisposeAsync().ConfigureAwait(false);
            throw new WorkerException($"cannot listen on {url} (server.url): {e.Message}", ExitCodes.Usage, e);
        }
        var address = application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        return new WorkerServer(application, new Uri(address));
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        await _application.StopAsync(deadline.Token).ConfigureAwait(false);
        await _application.DisposeAsync().ConfigureAwait(false);
    }

    private static void Limit(KestrelServerOptions options)
    {
        options.AddServerHeader = false;
        options.Limits.MaxConcurrentConnections = 1_000;
        options.Limits.MaxRequestBodySize = 64 * 1024;
    }

    private static void Map(WebApplication application, Func<CancellationToken, ValueTask<HealthReport>> ready, MetricCollector metrics)
    {
        var resource = new KeyValuePair<string, object?>[]
        {
            new("service.name", "pipeline"), new("service.version", WorkerVersion.Text), new("process.pid", Environment.ProcessId),
        };
        application.MapGet("/health/live", context => WriteJsonAsync(context, StatusCodes.Status200OK, new { status = "live" }));
        application.MapGet("/health/ready", async context =>
        {
            var report = await ready(context.RequestAborted).ConfigureAwait(false);
            await WriteJsonAsync(context, report.IsReady ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable, report).ConfigureAwait(false);
        });
        application.MapGet("/metrics", context =>
        {
            context.Response.ContentType = PrometheusText.ContentType;
            return context.Response.WriteAsync(PrometheusText.Write(metrics.Collect(), resource), context.RequestAborted);
        });
        application.MapFallback(context => WriteJsonAsync(context, StatusCodes.Status404NotFound,
            new { error = $"there is nothing at {context.Request.Path}; there are /health/live, /health/ready, /metrics, /stats, /storage and, to POST to, /storage/scrub and {CompactPath}" }));
    }

    private static void Map(WebApplication application, DocumentDatabase database, string path)
    {
        QueryEndpoint.Map(application, database, WriteJsonAsync);
        IndexEndpoint.Map(application, database, WriteJsonAsync);
        Revisions.RevisionEndpoint.Map(application, database, WriteJsonAsync);
        application.MapGet("/stats", context => WriteJsonAsync(context, StatusCodes.Status200OK, DatabaseView.Of(database, path)));
        application.MapGet("/storage", context => WriteJsonAsync(context, StatusCodes.Status200OK, StorageView.Of(database.Storage)));
        application.MapPost("/storage/scrub", async context =>
        {
            string? text = context.Request.Query["bytesPerSecond"];
            var rate = 0L;
            if (text is not null && (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out rate) || rate < 1))
            {
                await WriteJsonAsync(context, StatusCodes.Status400BadRequest, new { error = $"bytesPerSecond is '{text}', a whole number from 1 on is expected" }).ConfigureAwait(false);
                return;
            }
            try
            {
                var report = await database.Storage.ScrubAsync(new ScrubOptions { BytesPerSecond = text is null ? null : rate }, null, context.RequestAborted).ConfigureAwait(false);
                using var snapshot = database.OpenSnapshot("scrub");
                var affected = AffectedDocuments.Find(snapshot, report.Damaged, ScrubReportView.MostDocuments, context.RequestAborted);
                await WriteJsonAsync(context, StatusCodes.Status200OK, ScrubReportView.Of(report).With(affected)).ConfigureAwait(false);
            }
            catch (Exception e) when (e is StorageException or InvalidOperationException)
            {
                await WriteJsonAsync(context, StatusCodes.Status503ServiceUnavailable, new { error = e.Message }).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // Nobody waits for the answer.
            }
        });
        application.MapPost(CompactPath, async context =>
        {
            try
            {
                var report = await database.Storage.CompactAsync(ct: context.RequestAborted).ConfigureAwait(false);
                await WriteJsonAsync(context, StatusCodes.Status200OK, CompactionView.Of(report, database.Storage.GetStatistics())).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // Nobody waits for the answer.
            }
            catch (Exception e) when (e is StorageException or ObjectDisposedException or OperationCanceledException)
            {
                await WriteJsonAsync(context, StatusCodes.Status503ServiceUnavailable, new { error = e.Message }).ConfigureAwait(false);
            }
        });
    }

    private static async Task WriteJsonAsync(HttpContext context, int status, object value)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        await context.Response.WriteAsync(System.Text.Json.JsonSerializer.Serialize(value, Json.Indented), context.RequestAborted).ConfigureAwait(false);
    }

    /// <summary>The command decides when the process ends, not the web host.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
