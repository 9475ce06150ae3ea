using Akka.Actor;
using Pipeline.Akka.Persistence;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Akka.Tests.Worker;

/// <summary>The block <c>actors</c> of a worker's configuration.</summary>
public sealed class WorkerActorsTests
{
    [Fact]
    public async Task Actors_of_a_worker_persist_in_its_database_and_their_events_go_out()
    {
        var folder = TestFolders.Make();
        await using (var worker = await OpenAsync(folder, typeof(Starter).FullName!))
        {
            for (var i = 1; i <= 5; i++)
                await Starter.Actor.Ask<int>(i, Soon);
            Assert.Equal("saved", await Starter.Actor.Ask<string>("save", Soon));
        }

        await using (var worker = await OpenAsync(folder, typeof(Starter).FullName!))
        {
            Assert.Equal(15, await Starter.Actor.Ask<int>("sum", Soon));
            await worker.RunOnceAsync();
        }

        var messages = await File.ReadAllLinesAsync(Path.Combine(folder, "out", "sums.jsonl"));
        Assert.Equal(5, messages.Length);
        Assert.Contains("\"data\":{\"Of\":\"hosted\",\"Number\":5}", messages[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("No.Such.Class", "there is no class 'No.Such.Class'")]
    [InlineData(
        "Pipeline.Akka.Tests.Worker.WorkerActorsTests",
        "must implement Pipeline.Akka.Persistence.IActorStarter"
    )]
    [InlineData("Pipeline.Akka.Tests.Worker.WorkerActorsTests+Failing", "the start failed")]
    public async Task A_class_that_does_not_start_is_named(string start, string problem)
    {
        var e = await Assert.ThrowsAsync<WorkerException>(() => OpenAsync(TestFolders.Make(), start));
        Assert.Contains("actors.start", e.Message, StringComparison.Ordinal);
        Assert.Contains(problem, e.Message, StringComparison.Ordinal);
    }

    private static TimeSpan Soon => TimeSpan.FromSeconds(20);

    private static Task<PipelineWorker> OpenAsync(string folder, string start) =>
        PipelineWorker.OpenAsync(
            PipelineConfiguration.Parse(
                $$"""
                version: 1
                database: { name: actors, path: ./data }
                actors: { start: "{{start}}", keepSnapshots: 1 }
                connections: { files: { files: { directory: ./out } } }
                etl:
                  - name: sums
                    from: [Events]
                    to: files
                    transform: send("sums", new { Of = doc.StreamId, Number = doc.SequenceNumber });
                """,
                Path.Combine(folder, "pipeline.yaml"),
                FixedVariables.None
            ),
            new WorkerOptions()
        );

    public sealed class Starter : IActorStarter
    {
        public static IActorRef Actor { get; private set; } = ActorRefs.Nobody;

        public Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct)
        {
            Actor = system.ActorOf(Counter.Props("hosted"));
            return Task.CompletedTask;
        }
    }

    public sealed class Failing : IActorStarter
    {
        public Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct) =>
            throw new InvalidOperationException("the start failed");
    }
}
