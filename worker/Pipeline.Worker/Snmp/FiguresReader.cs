using System.Collections.Concurrent;
using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Backups;
using Pipeline.Hosting;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Tasks;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Snmp;

/// <summary>Asks a running worker for its figures.</summary>
/// <param name="run">The invocation, which says whose worker it is.</param>
/// <param name="url">The option with the worker's address.</param>
internal sealed class FiguresReader(CommandRun run, Option<string?> url)
{
    /// <summary>
    /// How long a worker may take for all answers. Its health may ask a broker that is silent, for up to three seconds.
    /// </summary>
    public static readonly TimeSpan TimeLimit = TimeSpan.FromSeconds(5);

    /// <summary>Of a worker with more databases, those with the first names are shown: each costs a request.</summary>
    public const int MaxDatabases = 100;

    // Messages on standard error would end up in snmpd's answers.
    private readonly CommandRun _silent = run with
    {
        Console = new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
    };

    /// <summary>Asks it. A worker that is away is no error: its figures say so.</summary>
    public async Task<WorkerFigures> ReadAsync(CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(TimeLimit, run.Time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        try
        {
            var address = await RunningWorker.FindAsync(_silent, url, both.Token).ConfigureAwait(false);
            if (address is null)
                return Away(NotFound(DataSource.Find(run.Settings).Path));
            using var client = new WorkerClient(address);
            var asked = new Asked(client, both.Token, cancellationToken);
            return await ReadAsync(asked).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw;
        }
        catch (OperationCanceledException)
        {
            return Away(Late("the worker"));
        }
#pragma warning disable CA1031 // The agent outlives every error of a worker or its configuration, and shows it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return Away(string.Join("; ", ErrorReport.Of(e, hasUrl: true).Lines));
        }
    }

    private static string NotFound(string folder) =>
        $"no worker has {folder} open, or this user may not read {Path.Combine(folder, WorkerAddressFile.Name)}; --url names a worker";

    private static string Late(string who) =>
        string.Create(CultureInfo.InvariantCulture, $"{who} did not answer within {TimeLimit.TotalSeconds:0} s");

    private WorkerFigures Away(string problem) => new(run.Time.GetUtcNow(), problem);

    private async Task<WorkerFigures> ReadAsync(Asked asked)
    {
        var live = asked.GetAsync("/health/live", _ => "live");
        var health = asked.GetAsync("/health/ready", WorkerClient.Read<ReadinessReport>, also: 503);
        var metrics = asked.GetAsync("/metrics", MetricsText.Parse);
        var own = asked.GetAsync("/stats", WorkerClient.Read<DatabaseView>);
        var databases = ReadDatabasesAsync(asked);
        var tasks = asked.GetAsync("/etl/tasks", WorkerClient.Read<List<TaskView>>);
        var subscriptions = asked.GetAsync("/subscriptions", WorkerClient.Read<List<SubscriptionView>>);
        var backups = asked.GetAsync("/backups", WorkerClient.Read<BackupsAnswer>);
        var cluster = asked.GetAsync("/cluster/status", WorkerClient.Read<ClusterView>, without: 409);
        await Task.WhenAll(live, health, metrics, own, databases, tasks, subscriptions, backups, cluster)
            .ConfigureAwait(false);
        if (await live.ConfigureAwait(false) is null)
            return Away(asked.Problems.GetValueOrDefault("/health/live", ""));
        return new WorkerFigures(run.Time.GetUtcNow(), string.Join("; ", asked.Problems.Values.Order().Distinct()))
        {
            IsUp = true,
            Health = await health.ConfigureAwait(false),
            Metrics = await metrics.ConfigureAwait(false),
            Own = await own.ConfigureAwait(false),
            Databases = await databases.ConfigureAwait(false),
            Tasks = ByName(await tasks.ConfigureAwait(false), t => t.Name),
            Subscriptions = ByName(await subscriptions.ConfigureAwait(false), s => s.Name),
            Backups = ByName((await backups.ConfigureAwait(false))?.Status, b => $"{b.Name}\n{b.Destination}"),
            Cluster = await cluster.ConfigureAwait(false),
        };
    }

    private static async Task<IReadOnlyList<DatabaseFigures>> ReadDatabasesAsync(Asked asked)
    {
        var listed = await asked.GetAsync("/databases", ReadServer<DatabaseList>).ConfigureAwait(false);
        var read = new List<DatabaseFigures>();
        foreach (var (name, isDisabled) in ByName(listed?.Databases, d => d.Name).Take(MaxDatabases))
        {
            var path = $"/databases/{Uri.EscapeDataString(name)}/stats/essential";
            var figures = isDisabled
                ? null
                : await asked.GetAsync(path, ReadServer<DatabaseStatistics>).ConfigureAwait(false);
            read.Add(
                new DatabaseFigures(name, isDisabled)
                {
                    Documents = figures?.CountOfDocuments,
                    Tombstones = figures?.CountOfTombstones,
                    Position = figures?.LastDatabaseEtag,
                    Size = figures?.SizeOnDisk.SizeInBytes,
                    Indexes = figures?.CountOfIndexes,
                }
            );
        }

        return read;
    }

    /// <summary>Reads an answer in RavenDB's protocol, whose names begin with capitals.</summary>
    private static T ReadServer<T>(string body) =>
        JsonSerializer.Deserialize<T>(body) ?? throw new JsonException("the answer is empty");

    private static List<T> ByName<T>(IEnumerable<T>? all, Func<T, string> name) =>
        [.. (all ?? []).OrderBy(name, StringComparer.Ordinal)];

    private sealed record BackupsAnswer(IReadOnlyList<BackupStatus> Status);

    private sealed record DatabaseList(IReadOnlyList<ListedDatabase> Databases);

    private sealed record ListedDatabase(string Name, bool Disabled);

    private sealed record DatabaseStatistics(
        long CountOfDocuments,
        long CountOfTombstones,
        long LastDatabaseEtag,
        long CountOfIndexes,
        DatabaseSize SizeOnDisk
    );

    private sealed record DatabaseSize(long SizeInBytes);

    /// <summary>Requests to one worker that share a deadline.</summary>
    private sealed class Asked(WorkerClient client, CancellationToken deadline, CancellationToken stop)
    {
        /// <summary>Why there is no answer, by path.</summary>
        public ConcurrentDictionary<string, string> Problems { get; } = new(StringComparer.Ordinal);

        /// <summary>An answer; <see langword="null"/> if there is none.</summary>
        /// <param name="path">The path.</param>
        /// <param name="read">Reads the answer.</param>
        /// <param name="also">A status other than success whose answer is read too.</param>
        /// <param name="without">A status that says that the worker has nothing there, which is no problem.</param>
        public async Task<T?> GetAsync<T>(string path, Func<string, T> read, int also = 0, int without = 0)
            where T : class
        {
            try
            {
                var (ok, status, body) = await client
                    .AskAsync(HttpMethod.Get, path, null, deadline)
                    .ConfigureAwait(false);
                if (ok || status == also)
                    return read(body);
                if (status != without)
                    Problems[path] = string.Create(CultureInfo.InvariantCulture, $"{path} answered {status}");
            }
            catch (OperationCanceledException) when (!stop.IsCancellationRequested)
            {
                Problems[path] = Late(path);
            }
            catch (WorkerException e)
            {
                Problems[path] = e.Message;
            }
            catch (JsonException e)
            {
                Problems[path] = $"{path} answered no JSON of this version: {e.Message}";
            }

            return null;
        }
    }
}
