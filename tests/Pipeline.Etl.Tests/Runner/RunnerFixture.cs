using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Records;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Pipeline.Yaml;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>A database in memory, a broker in memory, a clock that stands, and hosts over them.</summary>
public sealed class RunnerFixture : IAsyncDisposable
{
    public const string Simple = "send(\"out\", new { Id = id, doc.N }, key: id);";

    public static readonly TimeSpan Timeout = TimeSpan.FromSeconds(90);

    public RunnerFixture(FakeBroker? broker = null, bool keepTraces = false)
    {
        Broker = broker ?? new FakeBroker();
        Database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                TimeProvider = DatabaseTime,
                KeepTraces = keepTraces,
            }
        );
        Feed = new DatabaseChangeFeed(Database);
    }

    public ManualTimeProvider Time { get; } = new();

    /// <summary>The database has a separate clock, so that its timers are not mistaken for the tasks' waits.</summary>
    public ManualTimeProvider DatabaseTime { get; } = new();

    public FakeBroker Broker { get; }

    public DocumentDatabase Database { get; }

    public IChangeFeed Feed { get; set; }

    public static string Task(string name, string transform = Simple, string from = "[Things]", string more = "") =>
        $"  - name: {name}\n    from: {from}\n    to: c\n{(more.Length == 0 ? "" : $"    {more}\n")}    transform: |\n      {transform.ReplaceLineEndings("\n      ")}\n";

    public EtlHost NewHost(params string[] tasks) =>
        NewHost(new ConnectorCatalog([new FakeDefinition(Broker)]), "fake:", tasks);

    /// <summary>A host whose connection <c>c</c> is another one than the broker in memory.</summary>
    public EtlHost NewHost(ConnectorCatalog catalog, string connection, string[] tasks)
    {
        var yaml =
            $$"""
                version: 1
                database: { name: test, path: . }
                connections: { c: { {{connection}} } }
                etl:

                """ + string.Concat(tasks);
        var plan = PipelineConfiguration.Parse(yaml, "f.yaml", FixedVariables.None, catalog).CreatePlan();
        return new EtlHost(plan, Feed, new EtlHostOptions { Time = Time, Seed = 42 });
    }

    /// <summary>The configuration of a task such as <see cref="Task"/> writes.</summary>
    public EtlTaskConfiguration TaskOf(string name) =>
        PipelineConfiguration
            .Parse(
                "version: 1\ndatabase: { name: test, path: . }\nconnections: { c: { fake: } }\netl:\n" + Task(name),
                "f.yaml",
                FixedVariables.None,
                new ConnectorCatalog([new FakeDefinition(Broker)])
            )
            .Etl[0];

    public EtlHost Start(params string[] tasks)
    {
        var host = NewHost(tasks);
        host.Start();
        return host;
    }

    public async Task PutAsync(string id, int n, string collection = "Things") =>
        await Database.PutAsync(
            id,
            Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"{{collection}}"} }""")
        );

    public async Task PutManyAsync(int from, int count, string collection = "Things")
    {
        await Database.WriteAsync(t =>
        {
            for (var n = from; n < from + count; n++)
            {
                t.Put(
                    $"things/{n}",
                    Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"{{collection}}"} }""")
                );
            }
        });
    }

    public async Task<bool> DrainAsync(EtlHost host)
    {
        using var timeout = new CancellationTokenSource(Timeout);
        return await host.DrainAsync(Database.LastPosition, timeout.Token);
    }

    /// <summary>
    /// As <see cref="DrainAsync"/>, for a task that was blocked and is woken: it may not have noticed yet.
    /// </summary>
    public async Task DrainResumedAsync(EtlHost host)
    {
        using var timeout = new CancellationTokenSource(Timeout);
        while (!await host.DrainAsync(Database.LastPosition, timeout.Token))
        {
            timeout.Token.ThrowIfCancellationRequested();
            await System.Threading.Tasks.Task.Yield();
        }
    }

    /// <summary>Runs a host over all there is, and stops it.</summary>
    public async Task RunToEndAsync(params string[] tasks)
    {
        await using var host = Start(tasks);
        Xunit.Assert.True(await DrainAsync(host));
    }

    /// <summary>
    /// Moves the clock over each wait until every task gets there; gives the waits. On a slow machine, the wait before
    /// a skipped position is stored is among them.
    /// </summary>
    public async Task<List<TimeSpan>> DrainOverWaitsAsync(EtlHost host)
    {
        var waits = new List<TimeSpan>();
        using var timeout = new CancellationTokenSource(Timeout);
        var timer = Time.NextTimerAsync(timeout.Token).AsTask();
        var drained = host.DrainAsync(Database.LastPosition, timeout.Token);
        while (true)
        {
            await System.Threading.Tasks.Task.WhenAny(drained, timer);
            if (timer.IsCompleted)
            {
                waits.Add(await timer);
                Time.Advance(await timer);
                timer = Time.NextTimerAsync(timeout.Token).AsTask();
            }

            if (!drained.IsCompleted)
                continue;
            if (await drained)
                return waits;
            await System.Threading.Tasks.Task.Yield();
            drained = host.DrainAsync(Database.LastPosition, timeout.Token);
        }
    }

    public List<JsonElement> DeadLetters()
    {
        using var snapshot = Database.OpenSnapshot();
        return [.. snapshot.GetByCollection("DeadLetters").Select(d => JsonDocument.Parse(d.ToString()).RootElement)];
    }

    public long DurablePosition(string task) =>
        Feed.OpenCursor(EtlTaskKeys.ConsumerName(task), new CursorFilter(null, false)).Position;

    public ValueTask DisposeAsync() => Database.DisposeAsync();
}
