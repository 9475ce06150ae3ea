using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Persistence.Sql;
using Akka.Streams;
using Akka.Streams.Dsl;
using LinqToDB;
using Pipeline.Akka.Persistence.Query;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Akka.Tests.Benchmarks;

/// <summary>
/// The patterns of Akka's JournalPerfSpec, and many actors at once, on this journal, embedded and over a server.
/// For comparison: Akka's in-memory journal, and Akka.Persistence.Sql on SQLite with timeouts that let it end.
/// PIPELINE_BENCHMARKS=1 runs it, or the name of one journal, on a machine without other load:
/// <c>PIPELINE_BENCHMARKS=1 dotnet test tests/Pipeline.Akka.Tests -c Release --filter
/// FullyQualifiedName~JournalBenchmarks --logger "console;verbosity=detailed"</c>.
/// </summary>
[Collection(SpecServer.Collection)]
public sealed class JournalBenchmarks(ITestOutputHelper output)
{
    private const int One = 20_000;
    private const int Many = 200_000;
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(5);

    [SkippableFact]
    public async Task Measure()
    {
        Skip.If(
            Environment.GetEnvironmentVariable("PIPELINE_BENCHMARKS") is null,
            "set PIPELINE_BENCHMARKS=1 to measure"
        );
        const string plain = "akka.persistence.journal.pipeline.documents.enabled = off";
        await RunAsync("pipeline", ConfigurationFactory.ParseString(plain).WithFallback(Quiet(SpecPlace.Embedded())));
        await RunAsync("pipeline-documents", Quiet(SpecPlace.Embedded()));
        await RunAsync(
            "pipeline-server",
            ConfigurationFactory.ParseString(plain).WithFallback(Quiet(SpecPlace.Remote()))
        );
        await RunAsync(
            "in-memory",
            Quiet(
                ConfigurationFactory.ParseString(
                    """akka.persistence.journal.plugin = "akka.persistence.journal.inmem" """
                )
            )
        );
        var file = Path.Combine(TestFolders.Make(), "journal.db").Replace('\\', '/');
        await RunAsync(
            "sqlite",
            Quiet(
                ConfigurationFactory
                    .ParseString(
                        $$"""
                        akka.persistence.journal {
                          plugin = "akka.persistence.journal.sql"
                          sql { provider-name = "{{ProviderName.SQLiteMS}}", connection-string = "Data Source={{file}}" }
                        }
                        akka.persistence.journal-plugin-fallback {
                          recovery-event-timeout = 300s
                          circuit-breaker { call-timeout = 300s, max-failures = 1000 }
                        }
                        """
                    )
                    .WithFallback(SqlPersistence.DefaultConfiguration)
            ),
            slow: true
        );
    }

    private static Config Quiet(Config config) =>
        ConfigurationFactory
            .ParseString(
                """
                akka { loglevel = OFF, stdout-loglevel = OFF }
                akka.actor {
                  serializers.happened = "Pipeline.Akka.Tests.Benchmarks.HappenedSerializer, Pipeline.Akka.Tests"
                  serialization-bindings { "Pipeline.Akka.Tests.Benchmarks.Happened, Pipeline.Akka.Tests" = happened }
                }
                """
            )
            .WithFallback(config);

    private async Task RunAsync(string name, Config config, bool slow = false)
    {
        if (Environment.GetEnvironmentVariable("PIPELINE_BENCHMARKS") is { } only && only != "1" && only != name)
            return;
        using var system = ActorSystem.Create("bench", config);
        await MeasureAsync(system, name, "warm-up", 100, "persist", slow ? 1_000 : 20_000, report: false);
        await MeasureAsync(system, name, "Persist, 1 actor", 1, "persist", slow ? 1_000 : One / 4);
        await MeasureAsync(system, name, "Persist, 100 actors", 100, "persist", slow ? 5_000 : Many);
        await MeasureAsync(system, name, "Persist, 10,000 actors", 10_000, "persist", slow ? 10_000 : Many);
        await MeasureAsync(system, name, "PersistAsync, 1 actor", 1, "async", slow ? One / 4 : One * 5);
        await MeasureAsync(system, name, "PersistAll of 100, 1 actor", 1, "all", slow ? One / 4 : One * 5);
        await RecoverAsync(system, name, "recovery, JSON", "async-1-True-0", slow ? One / 4 : One * 5);
        await MeasureAsync(system, name, "PersistAsync, own serializer", 1, "typed", slow ? One / 4 : One * 5);
        await RecoverAsync(system, name, "recovery, own serializer", "typed-1-True-0", slow ? One / 4 : One * 5);
        if (name.StartsWith("pipeline", StringComparison.Ordinal))
            await LatencyAsync(system, name);
        await system.Terminate();
    }

    private async Task MeasureAsync(
        ActorSystem system,
        string name,
        string what,
        int actors,
        string mode,
        int events,
        bool report = true
    )
    {
        var prefix = $"{mode}-{actors}-{report}-";
        IActorRef[] all = [.. Enumerable.Range(0, actors).Select(i => system.ActorOf(Writer.Props(prefix + i)))];
        await Task.WhenAll(all.Select(a => a.Ask<long>("ready", Timeout)));
        var each = Math.Max(1, events / actors);
        var cpu = Environment.CpuUsage.TotalTime;
        var started = Stopwatch.GetTimestamp();
        await Task.WhenAll(all.Select(a => a.Ask<long>(new Write(mode, each), Timeout)));
        var seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        if (report)
        {
            Report(
                name,
                what,
                each * (long)actors / seconds,
                $"events/s, {(Environment.CpuUsage.TotalTime - cpu).TotalMicroseconds / (each * (double)actors):f1} us of processor time each"
            );
        }

        await Task.WhenAll(all.Select(a => a.GracefulStop(Timeout)));
    }

    private async Task RecoverAsync(ActorSystem system, string name, string what, string id, int events)
    {
        for (var run = 0; run < 3; run++)
        {
            var started = Stopwatch.GetTimestamp();
            var cpu = Environment.CpuUsage.TotalTime;
            var actor = system.ActorOf(Writer.Props(id));
            var count = await actor.Ask<long>("ready", Timeout);
            Report(
                name,
                what,
                count / Stopwatch.GetElapsedTime(started).TotalSeconds,
                $"events/s of {count}, {(Environment.CpuUsage.TotalTime - cpu).TotalMicroseconds / count:f1} us of processor time each"
            );
            Assert.Equal(events, count);
            await actor.GracefulStop(Timeout);
        }
    }

    /// <summary>From the command to a live query that has the event, one each 2 ms.</summary>
    private async Task LatencyAsync(ActorSystem system, string name)
    {
        using var materializer = system.Materializer();
        var latencies = new List<double>();
        var journal = system.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
        var ended = journal
            .EventsByPersistenceId("latency", 0, 2_000)
            .RunForeach(
                e =>
                    latencies.Add(
                        Stopwatch
                            .GetElapsedTime(long.Parse((string)e.Event, CultureInfo.InvariantCulture))
                            .TotalMilliseconds
                    ),
                materializer
            );
        var actor = system.ActorOf(Writer.Props("latency"));
        await actor.Ask<long>("ready", Timeout);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(2));
        for (var i = 0; i < 2_000; i++)
        {
            await timer.WaitForNextTickAsync();
            actor.Tell(new Write(Stopwatch.GetTimestamp().ToString(CultureInfo.InvariantCulture), 1));
        }

        await ended.WaitAsync(Timeout);
        double[] sorted = [.. latencies.Skip(200).Order()];
        Report(name, "live query, p50", sorted[sorted.Length / 2], "ms");
        Report(name, "live query, p99", sorted[(int)(sorted.Length * 0.99)], "ms");
        sorted = [.. Writer.Durable.Skip(200).Order()];
        Writer.Durable.Clear();
        Report(name, "its handler, p50", sorted[sorted.Length / 2], "ms");
        Report(name, "its handler, p99", sorted[(int)(sorted.Length * 0.99)], "ms");
    }

    private void Report(string journal, string what, double value, string unit) =>
        output.WriteLine(
            string.Create(CultureInfo.InvariantCulture, $"{journal, -20} {what, -28} {value, 12:#,0.##} {unit}")
        );

    private sealed record Write(string Mode, int Count);

    private sealed class Writer(string id) : global::Akka.Persistence.UntypedPersistentActor
    {
        private long _recovered;
        private int _done;

        /// <summary>From the command to the handler of the persisted event.</summary>
        public static ConcurrentQueue<double> Durable { get; } = [];

        public override string PersistenceId => id;

        public static Props Props(string id) => global::Akka.Actor.Props.Create(() => new Writer(id));

        protected override void OnRecover(object message)
        {
            if (message is string or Happened)
                _recovered++;
        }

        protected override void OnCommand(object message)
        {
            var sender = Sender;
            switch (message)
            {
                case "ready":
                    sender.Tell(_recovered);
                    break;
                case Write { Mode: "persist" } write:
                    Next(write, sender);
                    break;
#pragma warning disable AK1006 // The benchmark measures single events that wait together.
                case Write { Mode: "async" } write:
                    for (var i = 0; i < write.Count; i++)
                        PersistAsync("an event of some length", _ => Count(write, sender));
                    break;
                case Write { Mode: "typed" } write:
                    for (var i = 0; i < write.Count; i++)
                        PersistAsync(new Happened("an event of some length"), _ => Count(write, sender));
                    break;
#pragma warning restore AK1006
                case Write { Mode: "all" } write:
                    for (var i = 0; i < write.Count; i += 100)
                        PersistAll(Enumerable.Repeat("an event of some length", 100), _ => Count(write, sender));
                    break;
                case Write write:
                    Persist(
                        write.Mode,
                        _ =>
                            Durable.Enqueue(
                                Stopwatch
                                    .GetElapsedTime(long.Parse(write.Mode, CultureInfo.InvariantCulture))
                                    .TotalMilliseconds
                            )
                    );
                    break;
            }
        }

        private void Next(Write write, IActorRef sender) =>
            Persist(
                "an event of some length",
                _ =>
                {
                    if (!Count(write, sender))
                        Next(write, sender);
                }
            );

        private bool Count(Write write, IActorRef sender)
        {
            if (++_done < write.Count)
                return false;
            _done = 0;
            sender.Tell((long)write.Count);
            return true;
        }
    }
}
