using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents.Transfer;
using Pipeline.Etl.Runner;
using Pipeline.Runner.Settings;
using Pipeline.Storage;
using Pipeline.Yaml;

namespace Pipeline.Runner;

/// <summary>
/// A database and the ETL tasks of one configuration in this process, run once: what <c>pipeline run --once</c> does
/// without its server.
/// </summary>
/// <remarks>Open it, then call <see cref="RunOnceAsync"/> once; the other members may be called all the while, from
/// any thread. The sections <c>server</c>, <c>health</c>, <c>subscriptions</c> and <c>backups</c> have no effect.
/// Disposal stops the tasks and closes the database.</remarks>
public sealed class PipelineRunner : IAsyncDisposable
{
    private readonly EtlHost _etl;
    private readonly TaskDriver _run;
    private int _disposed;

    private PipelineRunner(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        EtlPlan plan,
        RunnerOptions options,
        ILogger logger,
        long opened
    )
    {
        Configuration = configuration;
        Database = database;
        _etl = new EtlHost(plan, database, options.ToTaskOptions());
        _run = new TaskDriver(database, _etl, options.Time, logger, opened);
    }

    /// <summary>The configuration.</summary>
    public PipelineConfiguration Configuration { get; }

    /// <summary>The database.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>
    /// Reads a configuration, compiles its transforms, opens its database, creates its indexes and imports what an
    /// empty database begins with.
    /// </summary>
    /// <exception cref="ConfigurationException">
    /// The configuration or a transform has faults; nothing was opened.
    /// </exception>
    /// <exception cref="StorageException">The data folder is in use, of a newer format, damaged or full.</exception>
    /// <exception cref="ImportException">
    /// A line of a file to import is not a document; nothing was imported.
    /// </exception>
    /// <exception cref="WorkerException">
    /// A file to import is missing, or the configuration needs a whole worker: it has the section <c>cluster</c> or
    /// <c>actors</c>.
    /// </exception>
    public static async Task<PipelineRunner> OpenAsync(
        RunnerOptions options,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(options);
        var configuration = PipelineConfiguration.Load(options.ConfigurationFile, options.Variables);
        CheckSections(configuration);
        var opened = options.Time.GetTimestamp();
        var logger = options.Loggers.CreateLogger("Pipeline.Runner");
        RunBeginning.CheckFolder(configuration, DatabaseSettings.Folder(configuration, options));
        var plan = RunBeginning.Plan(configuration, options, logger);
        var database = DocumentDatabase.Open(
            DatabaseSettings.Of(configuration, options, configuration.Indexing.ToOptions())
        );
        var runner = new PipelineRunner(configuration, database, plan, options, logger, opened);
        try
        {
            RunnerLog.Opened(logger, configuration.Database.Name, configuration.Database.Path, database.LastPosition);
            await RunBeginning.PutIndexesAsync(configuration, database, cancellationToken).ConfigureAwait(false);
            await runner._run.ImportAsync(configuration, cancellationToken).ConfigureAwait(false);
            return runner;
        }
        catch
        {
            await runner.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Runs the tasks until each has dealt with all changes that the database had after the import, its
    /// marked dead letters and its replay. Ends earlier when no task can get there without help. Waits for a task
    /// whose target is away.</summary>
    /// <param name="timeout">
    /// How long the tasks may take at most, up to 49 days; without a limit where <see langword="null"/>. The next run
    /// sends the rest.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>What was done; <see cref="RunSummary.TimedOut"/> says whether the time was up.</returns>
    /// <exception cref="OperationCanceledException">
    /// It was cancelled; the tasks are stopped and their progress is stored.
    /// </exception>
    public async Task<RunSummary> RunOnceAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        await _run.RunToTargetAsync(timeout, cancellationToken).ConfigureAwait(false);
        return Summarize();
    }

    /// <summary>Returns the current state of every task, in the configuration's order. Costs little.</summary>
    public IReadOnlyList<TaskReport> GetTasks() => _run.GetTasks();

    /// <summary>The progress so far.</summary>
    public RunSummary Summarize() => _run.Summarize(Configuration.Database.Name);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        await _etl.DisposeAsync().ConfigureAwait(false);
        await Database.DisposeAsync().ConfigureAwait(false);
    }

    private static void CheckSections(PipelineConfiguration configuration)
    {
        var section =
            configuration.Cluster is not null ? "cluster"
            : configuration.Actors is not null ? "actors"
            : null;
        if (section is not null)
        {
            throw new WorkerException(
                $"{configuration.File}: the section '{section}' needs a worker; use PipelineWorker of Pipeline.Hosting",
                ExitCodes.Usage
            );
        }
    }
}
