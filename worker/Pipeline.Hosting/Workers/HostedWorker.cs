using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Hosting.Databases;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting.Workers;

/// <summary>
/// Opens a worker before the host starts other services, and closes it after the host has stopped them. In between, the
/// worker's tasks run in the background. A run that fails is treated as that of any <see cref="BackgroundService"/>:
/// the host logs it and stops, unless
/// <see cref="HostOptions.BackgroundServiceExceptionBehavior"/> says otherwise.
/// </summary>
internal sealed class HostedWorker : BackgroundService, IHostedLifecycleService, IOpenedDatabase
{
    private readonly IServiceProvider _services;
    private readonly string? _key;
    private readonly ILogger _logger;
    private readonly SemaphoreSlim _mounting = new(1);
    private volatile PipelineWorker? _worker;
    private volatile ServerMount? _mount;

    /// <summary>Nothing is opened yet.</summary>
    public HostedWorker(IServiceProvider services, string? key)
    {
        (_services, _key) = (services, key);
        _logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(HostingLog.Category);
        Options = services
            .GetRequiredService<IOptionsMonitor<PipelineHostOptions>>()
            .Get(key ?? Microsoft.Extensions.Options.Options.DefaultName);
        Store = new LateStore(this, Options.Store);
    }

    /// <summary>The options.</summary>
    public PipelineHostOptions Options { get; }

    /// <summary>The path that the application has mapped the server to; null if it has not.</summary>
    public string? MappedPath { get; set; }

    /// <summary>The worker.</summary>
    /// <exception cref="InvalidOperationException">It is not open yet.</exception>
    public PipelineWorker Worker => _worker ?? throw NotOpen();

    /// <inheritdoc/>
    public DocumentDatabase Database => Worker.Database;

    /// <inheritdoc/>
    public SubscriptionHost Subscriptions => Worker.Subscriptions;

    /// <inheritdoc/>
    public IDocumentStore Store { get; }

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        _worker = await PipelineWorker
            .OpenAsync(
                new WorkerOptions
                {
                    ConfigurationFile = ContentPath.Of(_services, Options.ConfigurationFile)!,
                    Variables = new ConfiguredVariables(_services.GetRequiredService<IConfiguration>(), _key),
                    DataFolder = ContentPath.Of(_services, Options.DataFolder),
                    InMemory = Options.InMemory,
                    Listens = Options.Listens,
                    Transforms = TransformRegistration.CatalogOf(_services, Options.Store),
                    Time = _services.GetService<TimeProvider>() ?? TimeProvider.System,
                    Loggers = _services.GetRequiredService<ILoggerFactory>(),
                },
                cancellationToken
            )
            .ConfigureAwait(false);

        // The closer must be made after all of these: see WorkerCloser.
        _ = (
            Resolve<PipelineWorker>(),
            Resolve<DocumentDatabase>(),
            Resolve<SubscriptionHost>(),
            _services.GetRequiredKeyedService<WorkerCloser>(_key ?? "")
        );
        if (MappedPath is not null)
            await MountAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task StoppedAsync(CancellationToken cancellationToken) =>
        await CloseAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>
    /// The server's entrance for requests of the application; the server is started at the first call.
    /// </summary>
    /// <exception cref="InvalidOperationException">The worker is not open yet.</exception>
    /// <exception cref="WorkerException">The folder of the databases that clients made cannot be used.</exception>
    public async ValueTask<ServerMount> MountAsync(CancellationToken cancellationToken)
    {
        if (_mount is { } known)
            return known;
        await _mounting.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_mount is null)
            {
                var server = await Worker.MountAsync(cancellationToken).ConfigureAwait(false);
                if (Worker.Configuration.Server.Clients.Count > 0)
                    HostingLog.ClientsNotAsked(_logger, Options.ConfigurationFile, MappedPath ?? "/");

                // Changes and other endless answers would delay the stop of the application's own server.
                _services
                    .GetRequiredService<IHostApplicationLifetime>()
                    .ApplicationStopping.UnsafeRegister(static s => ((PipelineServer)s!).EndStreams(), server);
                _mount = server.Mount;
            }
            return _mount;
        }
        finally
        {
            _mounting.Release();
        }
    }

    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckAsync(HealthStatus failure, CancellationToken cancellationToken)
    {
        if (_worker is not { } worker)
            return new HealthCheckResult(failure, NotOpen().Message);
        if (ExecuteTask is { IsFaulted: true, Exception: { } fault })
        {
            return new HealthCheckResult(
                failure,
                $"the tasks do not run: {fault.GetBaseException().Message}",
                fault.GetBaseException()
            );
        }

        return ReadinessHealth.Of(await worker.CheckReadyAsync(cancellationToken).ConfigureAwait(false), failure);
    }

    /// <summary>Ends the tasks, if they run, and closes the worker. May be called again.</summary>
    internal async ValueTask CloseAsync(CancellationToken cancellationToken)
    {
        await StopAsync(cancellationToken).ConfigureAwait(false);
        if (_worker is not { } worker)
            return;
        if (ExecuteTask is { IsCompleted: false })
            HostingLog.StopTimedOut(_logger, Options.ConfigurationFile);
        await worker.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => Worker.RunAsync(stoppingToken);

    private T Resolve<T>()
        where T : notnull =>
        _key is null ? _services.GetRequiredService<T>() : _services.GetRequiredKeyedService<T>(_key);

    private InvalidOperationException NotOpen() =>
        new(
            $"The Pipeline worker of '{Options.ConfigurationFile}' is not open yet: the host opens it when it starts. Inject IDocumentStore, or resolve this service after the start"
        );
}
