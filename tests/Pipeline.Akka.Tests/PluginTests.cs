using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Persistence.Query;
using Pipeline.Database;
using Pipeline.Documents.Events;
using Xunit;

namespace Pipeline.Akka.Tests;

/// <summary>Behaviour that Akka's specifications do not cover.</summary>
[Collection(SpecServer.Collection)]
public sealed class PluginTests
{
    [Fact]
    public async Task A_second_writer_of_a_persistence_id_is_refused_and_told_why()
    {
        var place = SpecPlace.Remote();
        using ActorSystem one = ActorSystem.Create("one", place),
            two = ActorSystem.Create("two", place);
        var first = one.ActorOf(Counter.Props("a"));
        Assert.Equal(1, await first.Ask<int>(1, Soon));
        var second = two.ActorOf(Counter.Props("a"));
        Assert.Equal(1, await second.Ask<int>("sum", Soon));
        Assert.Equal(3, await first.Ask<int>(2, Soon));
        var answer = await second.Ask<object>(7, Soon);
        Assert.Equal(
            (2, 2L),
            Assert.IsType<EventConflictException>(answer) is var e ? (e.SequenceNumber, e.Highest) : default
        );
        await one.Terminate();
        await two.Terminate();
    }

    [Fact]
    public async Task A_database_that_is_missing_fails_operations_with_the_cause_until_it_is_there()
    {
        using var system = ActorSystem.Create(
            "late",
            SpecPlace.Of("database = \"late\"", "akka.persistence.journal.pipeline.circuit-breaker.max-failures = 1000")
        );
        await Assert.ThrowsAsync<PersistencePlaceException>(() =>
            PipelinePersistence.Get(system).CheckAsync("akka.persistence.journal.pipeline")
        );
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "late" });
        PipelinePersistence.Get(system).AddDatabase("late", database);
        Assert.Equal(5, await system.ActorOf(Counter.Props("a")).Ask<int>(5, Soon));
        await system.Terminate();
    }

    [Fact]
    public async Task Queries_by_several_tags_and_time_go_on_behind_an_offset()
    {
        using var system = ActorSystem.Create("query", SpecPlace.Embedded());
        var a = system.ActorOf(Props.Create(() => new Speaker("a")));
        foreach (var text in new[] { "a green apple", "a black banana", "green", "a blue apple" })
            await a.Ask<string>(text, Soon);
        var journal = system.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
        using var materializer = system.Materializer();
        var both = await Run(
            journal.Events(new EventFilter { AllTags = ["green", "apple"] }, Offset.NoOffset(), live: false)
        );
        Assert.Equal(["a green apple"], both.Select(e => e.Event));
        var any = await Run(
            journal.Events(new EventFilter { AnyTags = ["banana", "blue"] }, both[0].Offset, live: false)
        );
        Assert.Equal(["a black banana", "a blue apple"], any.Select(e => e.Event));
        Assert.Empty(await Run(journal.Events(EventFilter.All, any[1].Offset, live: false)));
        Assert.Throws<ArgumentException>(() => journal.AllEvents(Offset.TimeBasedUuid(Guid.NewGuid())));
        await system.Terminate();

        async Task<EventEnvelope[]> Run(Source<EventEnvelope, global::Akka.NotUsed> source) =>
            [.. await source.RunWith(Sink.Seq<EventEnvelope>(), materializer)];
    }

    [Fact]
    public async Task A_destroyed_key_leaves_nothing_to_read()
    {
        var keys = TestFolders.Make();
        using var system = ActorSystem.Create(
            "shred",
            ConfigurationFactory
                .ParseString(
                    $$"""akka.persistence.pipeline.encryption { keys = "{{keys.Replace('\\', '/')}}", persistence-ids = ["customer-"] }"""
                )
                .WithFallback(SpecPlace.Embedded())
        );
        IActorRef secret = system.ActorOf(Counter.Props("customer-1")),
            plain = system.ActorOf(Counter.Props("plain"));
        Assert.Equal(1, await secret.Ask<int>(1, Soon));
        Assert.Equal(2, await plain.Ask<int>(2, Soon));
        await secret.GracefulStop(Soon);
        PipelinePersistence.Get(system).DestroyKey("akka.persistence.journal.pipeline", "customer-1");
        using var materializer = system.Materializer();
        IEnumerable<EventEnvelope> left = await system
            .ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier)
            .CurrentAllEvents(Offset.NoOffset())
            .RunWith(Sink.Seq<EventEnvelope>(), materializer);
        Assert.Equal(["plain"], left.Select(e => e.PersistenceId));
        await system.Terminate();
    }

    private static TimeSpan Soon => TimeSpan.FromSeconds(20);

    private sealed class Speaker(string id) : global::Akka.Persistence.UntypedPersistentActor
    {
        public override string PersistenceId => id;

        protected override void OnCommand(object message)
        {
            var sender = Sender;
            if (message is string text)
                Persist(text, _ => sender.Tell("done"));
        }

        protected override void OnRecover(object message) { }
    }
}
