using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting.Databases;

/// <summary>Opens a database before the host starts other services, and closes it after it has stopped them.</summary>
internal sealed class HostedDatabase : IHostedLifecycleService, IOpenedDatabase, IAsyncDisposable
{
    private readonly IServiceProvider _services;
    private readonly string _name;
    private readonly string? _path;
    private readonly Func<DatabaseOptions, DatabaseOptions>? _configure;
    private DocumentDatabase? _database;
    private SubscriptionHost? _subscriptions;
    private StorageProbe? _probe;

    /// <summary>Nothing is opened yet.</summary>
    public HostedDatabase(
        IServiceProvider services,
        string name,
        string? path,
        Func<DatabaseOptions, DatabaseOptions>? configure,
        DocumentStoreOptions? store
    )
    {
        (_services, _name, _path, _configure) = (services, name, path, configure);
        Store = new LateStore(this, store);
    }

    /// <inheritdoc/>
    public IDocumentStore Store { get; }

    /// <inheritdoc/>
    public DocumentDatabase Database => _database ?? throw NotOpen();

    /// <inheritdoc/>
    public SubscriptionHost Subscriptions => _subscriptions ?? throw NotOpen();

    /// <inheritdoc/>
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        var time = _services.GetService<TimeProvider>() ?? TimeProvider.System;
        var loggers = _services.GetRequiredService<ILoggerFactory>();
        var section = HostSection.Checked(
            _services.GetRequiredService<IConfiguration>(),
            _name,
            [nameof(PipelineHostOptions.DataFolder), nameof(PipelineHostOptions.InMemory)]
        );
        var path = section.GetValue<bool>(nameof(PipelineHostOptions.InMemory))
            ? null
            : section[nameof(PipelineHostOptions.DataFolder)] ?? _path;
        var options = new DatabaseOptions
        {
            Name = _name,
            Path = ContentPath.Of(_services, path),
            TimeProvider = time,
            LoggerFactory = loggers,
        };
        options = _configure?.Invoke(options) ?? options;
        var database = DocumentDatabase.Open(options);
        _database = database;
        _subscriptions = SubscriptionHost.Open(
            database,
            new SubscriptionHostOptions { Time = options.TimeProvider, Loggers = loggers }
        );
        _probe = new StorageProbe(database, options.TimeProvider, leastFree: 0);
        HostingLog.DatabaseOpened(loggers.CreateLogger(HostingLog.Category), _name, options.Path ?? "memory");
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppedAsync(CancellationToken cancellationToken) => DisposeAsync().AsTask();

    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckAsync(HealthStatus failure, CancellationToken cancellationToken)
    {
        if (_probe is not { } probe)
            return new HealthCheckResult(failure, NotOpen().Message);
        try
        {
            var checks = await probe.CheckAsync(cancellationToken).ConfigureAwait(false);
            return ReadinessHealth.Of(
                ReadinessReport.Of([.. checks, PipelineWorker.CheckPages(Database.Storage.GetStatistics().Scrub)]),
                failure
            );
        }
        catch (ObjectDisposedException e)
        {
            return new HealthCheckResult(failure, $"the database '{_name}' is closed", e);
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_subscriptions is { } subscriptions)
            await subscriptions.DisposeAsync().ConfigureAwait(false);
        if (_database is { } database)
            await database.DisposeAsync().ConfigureAwait(false);
    }

    private InvalidOperationException NotOpen() =>
        new(
            $"The database '{_name}' is not open yet: the host opens it when it starts. Inject IDocumentStore, or resolve the database after the start"
        );
}
