using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Pipeline.Akka.Persistence.Query;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>Live queries: they continue with each commit.</summary>
/// <param name="place">Where events are kept.</param>
public abstract class LiveQueryTests(Config place) : PluginTest(place)
{
    private PipelineReadJournal Queries => Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    [Fact]
    public async Task Events_of_a_persistence_id_come_as_they_are_written_up_to_the_last_that_is_wanted()
    {
        Write("a", 1, "1", "2");
        ISinkQueue<EventEnvelope> open = Run(Queries.EventsByPersistenceId("a", 0, long.MaxValue)),
            bounded = Run(Queries.EventsByPersistenceId("a", 2, 3));
        Assert.Equal(["1", "2"], [await NextAsync(open), await NextAsync(open)]);
        Assert.Equal("2", await NextAsync(bounded));
        Write("b", 1, "other");
        Write("a", 3, "3", "4");
        Assert.Equal(["3", "4"], [await NextAsync(open), await NextAsync(open)]);
        Assert.Equal("3", await NextAsync(bounded));
        Assert.False((await bounded.PullAsync().WaitAsync(Soon)).HasValue);
    }

    [Fact]
    public async Task Nothing_is_lost_where_events_come_faster_than_they_are_asked_for()
    {
        var query = Run(Queries.EventsByPersistenceId("a", 0, long.MaxValue));
        for (var i = 1; i <= 200; i += 20)
            WriteTogether("a", i, [.. Enumerable.Range(i, 20).Select(n => (object)$"{n}")]);
        for (var i = 1; i <= 200; i++)
            Assert.Equal($"{i}", await NextAsync(query));
    }

    [Theory]
    [InlineData("green")]
    [InlineData(null)]
    public async Task Events_come_as_they_are_written_and_behind_an_offset(string? tag)
    {
        Write("a", 1, "green 1", "green 2");
        var query = Run(Query(Offset.NoOffset()));
        await NextAsync(query);
        var second = (await query.PullAsync().WaitAsync(Soon)).Value;
        Write("b", 1, "green 3");
        Write("c", 1, "green 4");
        Assert.Equal(["green 3", "green 4"], [await NextAsync(query), await NextAsync(query)]);
        var behind = Run(Query(second.Offset));
        Assert.Equal(["green 3", "green 4"], [await NextAsync(behind), await NextAsync(behind)]);
        Write("a", 3, "green 5");
        Assert.Equal(["green 5", "green 5"], [await NextAsync(query), await NextAsync(behind)]);

        Source<EventEnvelope, global::Akka.NotUsed> Query(Offset offset) =>
            tag is null ? Queries.AllEvents(offset) : Queries.EventsByTag(tag, offset);
    }

    [Fact]
    public async Task Only_events_of_the_tag_come()
    {
        var query = Run(Queries.EventsByTag("apple", Offset.NoOffset()));
        Write("a", 1, "a green banana", "an apple", "nothing");
        Write("b", 1, "a blue apple");
        Assert.Equal(["an apple", "a blue apple"], [await NextAsync(query), await NextAsync(query)]);
    }

    [Fact]
    public async Task A_persistence_id_comes_once_with_its_first_event()
    {
        Write("a", 1, "1");
        var query = Queries
            .PersistenceIds()
            .RunWith(Sink.Queue<string>().WithAttributes(Attributes.CreateInputBuffer(1, 1)), Sys.Materializer());
        Assert.Equal("a", (await query.PullAsync().WaitAsync(Soon)).Value);
        Write("a", 2, "2");
        Write("b", 1, "1", "2");
        Write("c", 1, "1");
        Assert.Equal("b", (await query.PullAsync().WaitAsync(Soon)).Value);
        Assert.Equal("c", (await query.PullAsync().WaitAsync(Soon)).Value);
    }

    [Fact]
    public async Task Persistence_ids_of_the_snapshot_store_come_too()
    {
        Save("only-a-snapshot", 1, "state");
        Write("a", 1, "1");
        var query = Queries.PersistenceIds().RunWith(Sink.Queue<string>(), Sys.Materializer());
        string[] found =
        [
            (await query.PullAsync().WaitAsync(Soon)).Value,
            (await query.PullAsync().WaitAsync(Soon)).Value,
        ];
        Assert.Equal(["a", "only-a-snapshot"], found.Order());
    }

    [Fact]
    public async Task A_query_that_is_stopped_while_it_waits_ends()
    {
        (var stop, var ended) = Queries
            .AllEvents(Offset.NoOffset())
            .ViaMaterialized(KillSwitches.Single<EventEnvelope>(), Keep.Right)
            .ToMaterialized(Sink.Ignore<EventEnvelope>(), Keep.Both)
            .Run(Sys.Materializer())
            is var (killSwitch, done)
            ? (killSwitch, (Task)done)
            : default;
        Write("a", 1, "1");
        stop.Shutdown();
        await ended.WaitAsync(Soon);
    }

    private ISinkQueue<EventEnvelope> Run(Source<EventEnvelope, global::Akka.NotUsed> source) =>
        source.RunWith(
            Sink.Queue<EventEnvelope>().WithAttributes(Attributes.CreateInputBuffer(1, 1)),
            Sys.Materializer()
        );

    private static async Task<string> NextAsync(ISinkQueue<EventEnvelope> query) =>
        (string)(await query.PullAsync().WaitAsync(Soon)).Value.Event;
}

public sealed class EmbeddedLiveQueryTests() : LiveQueryTests(SpecPlace.Embedded());

[Collection(SpecServer.Collection)]
public sealed class RemoteLiveQueryTests() : LiveQueryTests(SpecPlace.Remote());
