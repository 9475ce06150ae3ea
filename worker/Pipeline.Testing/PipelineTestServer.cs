using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Yaml;

namespace Pipeline.Testing;

/// <summary>
/// A complete Pipeline in the test's process: a database in memory that serves RavenDB's clients on a free port of this
/// machine. It runs the subscriptions, indexes and ETL tasks of a configuration. Messages are captured instead of sent.
/// Servers are independent, so tests may run in parallel. Queries include earlier writes.
/// </summary>
/// <remarks>Thread-safe. Disposal stops everything and leaves nothing behind.</remarks>
public sealed class PipelineTestServer : IAsyncDisposable
{
    private const string Minimal = "version: 1\ndatabase: { name: test, path: ./data }\n";

    private readonly CancellationTokenSource _stop = new();
    private readonly Capture _capture;
    private readonly DirectoryInfo? _folder;
    private readonly Task _running;

    private PipelineTestServer(PipelineWorker worker, Capture capture, DirectoryInfo? folder)
    {
        Worker = worker;
        _capture = capture;
        _folder = folder;
        _running = worker.RunAsync(_stop.Token);
    }

    /// <summary>The worker: its tasks, subscriptions and state.</summary>
    public PipelineWorker Worker { get; }

    /// <summary>The database that the configuration names.</summary>
    public DocumentDatabase Database => Worker.Database;

    /// <summary>The address for clients: its databases in RavenDB's protocol, the Studio, health and metrics.</summary>
    public Uri Url => Worker.Address!;

    /// <summary>The temporary folder with its data; null if the data is in memory.</summary>
    public string? DataFolder => _folder?.FullName;

    /// <summary>Starts a server.</summary>
    /// <param name="options">The server's options.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>The server, ready for requests.</returns>
    /// <exception cref="ConfigurationException">
    /// The configuration or a transform has errors; the exception lists all of them.
    /// </exception>
    public static async Task<PipelineTestServer> StartAsync(
        PipelineTestOptions? options = null,
        CancellationToken cancellationToken = default
    )
    {
        options ??= new PipelineTestOptions();
        var capture = new Capture();
        var folder = options.OnDisk ? Directory.CreateTempSubdirectory("pipeline-test-") : null;
        try
        {
            var catalog = capture.Catalog;
            var text = options.Configuration ?? (options.ConfigurationFile is null ? Minimal : null);
            var configuration = PipelineConfiguration.LoadForTestServer(
                options.ConfigurationFile ?? Path.GetFullPath("pipeline.yaml"),
                text,
                options.Variables,
                catalog
            );
            var worker = await PipelineWorker
                .OpenAsync(
                    configuration,
                    new WorkerOptions
                    {
                        ConfigurationFile = configuration.File,
                        Variables = options.Variables,
                        Loggers = options.Loggers,
                        Time = options.Time,
                        QueryWait = options.QueryWait,
                        Listens = true,
                        Url = new Uri("http://127.0.0.1:0"),
                        DataFolder = folder?.FullName,
                        InMemory = folder is null,
                        Captures = catalog,
                        Transforms = options.Transforms,
                    },
                    cancellationToken
                )
                .ConfigureAwait(false);
            foreach (var task in options.TasksPaused ? worker.GetTasks() : [])
                await worker.PauseTaskAsync(task.Name, cancellationToken).ConfigureAwait(false);
            return new PipelineTestServer(worker, capture, folder);
        }
        catch
        {
            folder?.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Gives access to an ETL task of the configuration.</summary>
    /// <param name="task">Its name.</param>
    /// <returns>What it has sent.</returns>
    /// <exception cref="ArgumentException">There is no such task.</exception>
    public EtlProbe Etl(string task) =>
        Worker.GetTasks().Any(t => t.Name == task)
            ? new EtlProbe(Worker, _capture, task)
            : throw new ArgumentException(
                $"there is no ETL task '{task}'; there are: {string.Join(", ", Worker.GetTasks().Select(t => t.Name))}",
                nameof(task)
            );

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        await Worker.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
        _folder?.Delete(recursive: true);
    }
}
