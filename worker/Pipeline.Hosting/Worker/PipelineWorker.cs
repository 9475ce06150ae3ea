using Microsoft.Extensions.Logging;
using Pipeline.Backups;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents.Transfer;
using Pipeline.Etl.Runner;
using Pipeline.Hosting.Actors;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Logging;
using Pipeline.Hosting.Metrics;
using Pipeline.Runner.Settings;
using Pipeline.Server;
using Pipeline.Server.Settings;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Hosting;

/// <summary>
/// A database and the tasks of one configuration in this process: what <c>pipeline run</c> is made of.
/// </summary>
/// <remarks>Open it, then call one of <see cref="RunOnceAsync(CancellationToken)"/> and <see cref="RunAsync"/>, once;
/// the other members may be called all the while, from any thread. Disposal waits for requests in progress and closes
/// the port, stops the tasks and closes the database, in this order.</remarks>
public sealed partial class PipelineWorker : IAsyncDisposable
{
    private readonly WorkerOptions _options;
    private readonly ILogger _logger;
    private readonly EtlHost _etl;
    private readonly TaskDriver _run;
    private readonly StorageProbe _probe;
    private readonly ConnectionProbe _connections;
    private readonly WorkerHistory _history;
    private volatile ConsumerHealth _consumers;
    private volatile PipelineConfiguration _configuration;
    private readonly MetricCollector _metrics = new(MetricCollector.IsOurs);
    private volatile bool _imported;
    private int _disposed;
    private WorkerServer? _server;
    private WorkerAddressFile? _addressFile;
    private HostedActors? _actors;

    private PipelineWorker(
        WorkerOptions options,
        PipelineConfiguration configuration,
        EtlPlan plan,
        DocumentDatabase database,
        ILogger logger,
        long opened
    )
    {
        _options = options;
        _logger = logger;
        _configuration = configuration;
        Database = database;
        var isNode = configuration.Cluster is not null;
        var ofSubscriptions = new SubscriptionHostOptions
        {
            Time = options.Time,
            Loggers = options.Loggers,
            WarnAt = configuration.Health.LagPercent / 100.0,
        };
        Subscriptions = isNode
            ? SubscriptionHost.OpenIdle(database, ofSubscriptions)
            : SubscriptionHost.Open(database, ofSubscriptions);
        _consumers = NewConsumerHealth(configuration);
        _probe = new StorageProbe(database, options.Time, configuration.Health.MinFreeBytes)
        {
            TakesWrites = () => !isNode || database.Leads,
        };
        _plan = plan;
        Backups = new BackupService(
            database,
            options.Captures is null ? [.. configuration.Backups.Select(b => b.ToDefinition())] : [],
            new BackupRunnerOptions
            {
                Time = options.Time,
                Loggers = options.Loggers,
                Watcher = isNode ? new TermBackups(this) : null,
                IsShared = isNode,
            },
            Environment.ProcessId
        );
        _etl = new EtlHost(
            isNode ? new EtlPlan(plan.BaseDirectory, []) : plan,
            new DatabaseChangeFeed(database),
            options.ToTaskOptions()
        );
        _run = new TaskDriver(database, _etl, options.Time, logger, opened);
        _connections = new ConnectionProbe(_etl, options.Time);
        _history = new WorkerHistory(database, _etl, _metrics, options.Time);
    }

    // Shared with the databases of clients, so that the limit of all automatic indexes is one.
    private IndexingOptions _indexing = new();

    /// <summary>The configuration that runs now.</summary>
    public PipelineConfiguration Configuration
    {
        get => _configuration;
        private set => _configuration = value;
    }

    /// <summary>The database.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>The database's subscriptions.</summary>
    public SubscriptionHost Subscriptions { get; }

    /// <summary>The database's backups, which <see cref="RunAsync"/> makes on schedule.</summary>
    public BackupService Backups { get; }

    /// <summary>Documents that the configuration's <c>import</c> stored at this start.</summary>
    public long Imported => _run.Imported;

    /// <summary>
    /// The database's position after the import: what <see cref="RunOnceAsync(CancellationToken)"/> brings every task
    /// to.
    /// </summary>
    public long Target => _run.Target;

    /// <summary>Where it answers HTTP; <see langword="null"/> unless <see cref="WorkerOptions.Listens"/>.</summary>
    public Uri? Address => _server is { Server.HasPort: true } ? _server.Address : null;

    /// <summary>The last events of its log.</summary>
    internal LogRing Log { get; private init; } = new(0);

    /// <summary>The last hour of its figures.</summary>
    internal WorkerHistory History => _history;

    /// <summary>The server behind <see cref="Address"/>.</summary>
    internal PipelineServer? Server => _server?.Server;

    /// <summary>
    /// Reads a configuration, compiles its transforms, opens its database and imports what an empty one begins with.
    /// </summary>
    /// <exception cref="ConfigurationException">
    /// The configuration or a transform has faults; nothing was opened.
    /// </exception>
    /// <exception cref="StorageException">The data folder is in use, of a newer format, damaged or full.</exception>
    /// <exception cref="ImportException">
    /// A line of a file to import is not a document; nothing was imported.
    /// </exception>
    /// <exception cref="WorkerException">
    /// A file to import is missing, or <c>server.url</c> is in use or may not be used.
    /// </exception>
    public static Task<PipelineWorker> OpenAsync(WorkerOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return OpenAsync(
            PipelineConfiguration.Load(options.ConfigurationFile, options.Variables),
            options,
            cancellationToken
        );
    }

    /// <summary>
    /// Opens the database of a configuration that was read already; <see cref="RunnerOptions.ConfigurationFile"/> is
    /// ignored.
    /// </summary>
    /// <inheritdoc cref="OpenAsync(WorkerOptions, CancellationToken)"/>
    public static async Task<PipelineWorker> OpenAsync(
        PipelineConfiguration configuration,
        WorkerOptions options,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(configuration);
        ArgumentNullException.ThrowIfNull(options);
        var opened = options.Time.GetTimestamp();
        var kept = new KeptLoggers(options.Loggers, new LogRing(LogEndpoint.Capacity), options.Time);
        options = options with { Loggers = kept };
        var logger = options.Loggers.CreateLogger("Pipeline.Worker");
        var folder = DatabaseSettings.Folder(configuration, options);
        RunBeginning.CheckFolder(configuration, folder);
        var plan = RunBeginning.Plan(configuration, options, logger);
        var indexing = configuration.Indexing.ToOptions();
        var ofDatabase = OptionsOf(configuration, options, indexing);
        if (configuration.Cluster is not null && options.Captures is null)
            await FillAsync(configuration, options, ofDatabase, cancellationToken).ConfigureAwait(false);
        var database = DocumentDatabase.Open(ofDatabase);
        var worker = new PipelineWorker(options, configuration, plan, database, logger, opened)
        {
            _indexing = indexing,
            _ofDatabase = ofDatabase,
            Log = kept.Ring,
        };
        try
        {
            RunnerLog.Opened(logger, configuration.Database.Name, configuration.Database.Path, database.LastPosition);
            if (configuration.Cluster is not null)
            {
                worker._cluster = await ClusterMember
                    .OpenAsync(
                        configuration,
                        database,
                        folder!,
                        options.LogFormat,
                        options.Time,
                        options.Loggers,
                        cancellationToken
                    )
                    .ConfigureAwait(false);
                worker._cluster.BackupNames = () => worker.Configuration.Backups.Select(b => b.Name);
                worker.Backups.Helper = worker._cluster;
                worker._imported = true;
                if (configuration.Actors?.Cluster is not null)
                {
                    worker._actorCluster = new ActorCluster(
                        configuration,
                        database,
                        worker._cluster,
                        options.Time,
                        options.Loggers
                    );
                }
            }
            if (options.Listens)
                await worker.ListenAsync(hasPort: true, cancellationToken).ConfigureAwait(false);
            if (worker._cluster is not null)
                return worker;
            await worker.EnsureAsync(configuration, cancellationToken).ConfigureAwait(false);
            await worker.ImportAsync(cancellationToken).ConfigureAwait(false);
            if (configuration.Actors is not null)
            {
                worker._actors = await HostedActors
                    .StartAsync(configuration, database, options.Loggers, cancellationToken)
                    .ConfigureAwait(false);
                WorkerLog.ActorsStarted(logger, configuration.Actors.System, configuration.Actors.Start);
            }

            return worker;
        }
        catch
        {
            await worker.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Creates or changes the configuration's subscriptions and indexes.</summary>
    private async Task EnsureAsync(PipelineConfiguration configuration, CancellationToken cancellationToken)
    {
        foreach (var subscription in configuration.Subscriptions)
        {
            await Subscriptions
                .EnsureAsync(subscription.ToDefinition(), subscription.Start, cancellationToken)
                .ConfigureAwait(false);
        }

        await RunBeginning.PutIndexesAsync(configuration, Database, cancellationToken).ConfigureAwait(false);
    }

    private async Task ImportAsync(CancellationToken cancellationToken)
    {
        await _run.ImportAsync(Configuration, cancellationToken).ConfigureAwait(false);
        _imported = true;
    }

    private async Task ListenAsync(bool hasPort, CancellationToken cancellationToken)
    {
        _server = await WorkerServer
            .StartAsync(
                ServerSettings.Of(Configuration, _options, _indexing, hasPort) with
                {
                    Cluster = _cluster,
                },
                CheckReadyAsync,
                _metrics,
                new SharedDatabase(Database, Subscriptions),
                Configuration.Database.Path,
                cancellationToken,
                this
            )
            .ConfigureAwait(false);
        if (!hasPort)
            return;
        WorkerLog.Listening(_logger, _server.Address.GetLeftPart(UriPartial.Authority));
        if (_ofDatabase.Path is not { } folder)
            return;
        _addressFile = new WorkerAddressFile(_server.Address, Path.GetFullPath(folder), Database.Id.ToString())
        {
            ConfigurationFile = File.Exists(Configuration.File) ? Path.GetFullPath(Configuration.File) : null,
        };
        _addressFile.Write(_logger);
    }

    /// <summary>
    /// Answers requests of another web application with the worker's server, which is started without a port unless it
    /// listens. Not thread-safe.
    /// </summary>
    /// <exception cref="WorkerException">The folder of the databases that clients made cannot be used.</exception>
    internal async Task<PipelineServer> MountAsync(CancellationToken cancellationToken)
    {
        if (_server is null)
            await ListenAsync(hasPort: false, cancellationToken).ConfigureAwait(false);
        return _server!.Server;
    }

    /// <summary>Runs the tasks until each has dealt with all changes up to <see cref="Target"/>, its marked dead
    /// letters and its replay. Ends earlier when no task can get there without help. Waits for a task whose target is
    /// away.</summary>
    /// <exception cref="OperationCanceledException">
    /// It was cancelled; the tasks are stopped and their progress is stored.
    /// </exception>
    public Task<RunSummary> RunOnceAsync(CancellationToken cancellationToken = default) =>
        RunOnceAsync(null, cancellationToken);

    /// <summary>As the other overload, for a limited time. The next run sends the rest.</summary>
    /// <param name="timeout">
    /// How long the tasks may take at most, up to 49 days; without a limit where <see langword="null"/>.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>What was done; <see cref="RunSummary.TimedOut"/> says whether the time was up.</returns>
    /// <exception cref="OperationCanceledException">
    /// It was cancelled; the tasks are stopped and their progress is stored.
    /// </exception>
    public async Task<RunSummary> RunOnceAsync(TimeSpan? timeout, CancellationToken cancellationToken = default)
    {
        if (_cluster is not null)
        {
            throw new WorkerException(
                "a node of a cluster runs until it is stopped: '--once' does not work with the section 'cluster'",
                ExitCodes.Usage
            );
        }
        await _run.RunToTargetAsync(timeout, cancellationToken).ConfigureAwait(false);
        return Summarize();
    }

    /// <summary>Runs the tasks until it is cancelled, which is its orderly end.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        if (_cluster is not null)
        {
            await RunInClusterAsync(cancellationToken).ConfigureAwait(false);
            return;
        }
        _run.Start();
        Backups.Start();
        await new ConfigurationWatch(() => Configuration, _options.Time, _logger, ct => ApplyAsync(["*"], ct))
            .RunAsync(cancellationToken)
            .ConfigureAwait(false);
        WorkerLog.Stopping(_logger);
        await _run.StopAsync().ConfigureAwait(false);
    }

    /// <summary>The progress so far.</summary>
    public RunSummary Summarize() => _run.Summarize(Configuration.Database.Name);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        // The server waits for requests in progress, and these may take hours, or for ever where the log is silent.
        _cluster?.BeginToStop();
        // Before the port closes, and while the store is locked: no later worker's file is deleted.
        _addressFile?.Delete(_logger);
        if (_server is not null)
            await _server.DisposeAsync().ConfigureAwait(false);
        await _history.DisposeAsync().ConfigureAwait(false);
        if (_actors is not null)
            await _actors.DisposeAsync().ConfigureAwait(false);
        if (_actorCluster is not null)
            await _actorCluster.DisposeAsync().ConfigureAwait(false);
        await _etl.DisposeAsync().ConfigureAwait(false);
        await Backups.DisposeAsync().ConfigureAwait(false);
        await Subscriptions.DisposeAsync().ConfigureAwait(false);
        if (_cluster is not null)
            await _cluster.DisposeAsync().ConfigureAwait(false);
        await Database.DisposeAsync().ConfigureAwait(false);
        _metrics.Dispose();
    }
}
