using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Pipeline.Akka.Persistence.Query;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>
/// Queries over the events that exist: they complete, and do not see events written after they started.
/// </summary>
/// <param name="place">Where events are kept.</param>
public abstract class QueryTests(Config place) : PluginTest(place)
{
    private PipelineReadJournal Queries => Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    [Fact]
    public void The_read_journal_answers_each_of_Akkas_queries()
    {
        Assert.IsAssignableFrom<IPersistenceIdsQuery>(Queries);
        Assert.IsAssignableFrom<ICurrentPersistenceIdsQuery>(Queries);
        Assert.IsAssignableFrom<IEventsByPersistenceIdQuery>(Queries);
        Assert.IsAssignableFrom<ICurrentEventsByPersistenceIdQuery>(Queries);
        Assert.IsAssignableFrom<IEventsByTagQuery>(Queries);
        Assert.IsAssignableFrom<ICurrentEventsByTagQuery>(Queries);
        Assert.IsAssignableFrom<IAllEventsQuery>(Queries);
        Assert.IsAssignableFrom<ICurrentAllEventsQuery>(Queries);
    }

    [Theory]
    [InlineData(0, long.MaxValue, "a-1 a-2 a-3 a-4")]
    [InlineData(0, 2, "a-1 a-2")]
    [InlineData(3, long.MaxValue, "a-3 a-4")]
    [InlineData(2, 3, "a-2 a-3")]
    [InlineData(0, 0, "")]
    [InlineData(5, long.MaxValue, "")]
    public async Task Events_of_a_persistence_id_come_within_bounds(long from, long to, string expected)
    {
        Write("a", 1, "a-1", "a-2", "a-3", "a-4");
        Write("b", 1, "b-1");
        var found = await AllAsync(Queries.CurrentEventsByPersistenceId("a", from, to));
        Assert.Equal(expected, string.Join(' ', found.Select(e => e.Event)));
        Assert.All(found, e => Assert.Equal(("a", (string)e.Event), (e.PersistenceId, $"a-{e.SequenceNr}")));
    }

    [Fact]
    public async Task Deleted_events_are_found_no_more()
    {
        Write("a", 1, "1", "2", "3");
        Delete("a", 2);
        Assert.Equal(
            ["3"],
            (await AllAsync(Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue))).Select(e => e.Event)
        );
        Assert.Equal(["3"], (await AllAsync(Queries.CurrentAllEvents(Offset.NoOffset()))).Select(e => e.Event));
        Delete("a", long.MaxValue);
        Assert.Empty(await AllAsync(Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue)));
        Assert.Empty(await AllAsync(Queries.CurrentEventsByPersistenceId("a", 0, 0)));
    }

    [Fact]
    public async Task Where_there_is_nothing_queries_end_at_once()
    {
        Assert.Empty(await AllAsync(Queries.CurrentEventsByPersistenceId("nobody", 0, long.MaxValue)));
        Assert.Empty(await AllAsync(Queries.CurrentEventsByTag("green", Offset.NoOffset())));
        Assert.Empty(await AllAsync(Queries.CurrentAllEvents(Offset.NoOffset())));
        Assert.Empty(await AllAsync(Queries.CurrentPersistenceIds()));
    }

    [Theory]
    [InlineData("persistence id")]
    [InlineData("tag")]
    [InlineData("all")]
    public async Task What_is_written_while_a_query_is_read_is_not_part_of_it(string kind)
    {
        object[] events = [.. Enumerable.Range(1, 150).Select(i => (object)$"green {i}")];
        WriteTogether("a", 1, events);
        var query = (
            kind switch
            {
                "tag" => Queries.CurrentEventsByTag("green", Offset.NoOffset()),
                "all" => Queries.CurrentAllEvents(Offset.NoOffset()),
                _ => Queries.CurrentEventsByPersistenceId("a", 0, long.MaxValue),
            }
        ).RunWith(Sink.Queue<EventEnvelope>().WithAttributes(Attributes.CreateInputBuffer(1, 1)), Sys.Materializer());
        Assert.Equal("green 1", (await query.PullAsync().WaitAsync(Soon)).Value.Event);
        Write("a", 151, "green 151");
        for (var i = 2; i <= 150; i++)
            Assert.Equal($"green {i}", (await query.PullAsync().WaitAsync(Soon)).Value.Event);
        Assert.False((await query.PullAsync().WaitAsync(Soon)).HasValue);
    }

    [Fact]
    public async Task Events_of_a_tag_have_their_tags_and_the_time_of_their_commit()
    {
        var before = DateTime.UtcNow.AddSeconds(-1);
        Write("a", 1, "hello");
        Write("b", 1, "a green apple");
        Write("a", 2, "a black car", "a green banana");
        var found = await AllAsync(Queries.CurrentEventsByTag("green", Offset.NoOffset()));
        Assert.Equal(
            [("b", 1L, "a green apple"), ("a", 3L, "a green banana")],
            found.Select(e => (e.PersistenceId, e.SequenceNr, (string)e.Event))
        );
        Assert.Equal(["apple", "green"], found[0].Tags.Order());
        Assert.All(found, e => Assert.InRange(e.Timestamp, before.Ticks, DateTime.UtcNow.AddSeconds(1).Ticks));
        Assert.Empty(await AllAsync(Queries.CurrentEventsByTag("blue", Offset.NoOffset())));
    }

    [Theory]
    [InlineData("green")]
    [InlineData(null)]
    public async Task A_query_begins_after_its_offset(string? tag)
    {
        Write("a", 1, "green 1");
        Write("b", 1, "green 2");
        Write("a", 2, "green 3");
        var all = await AllAsync(Query(Offset.NoOffset()));
        Assert.Equal(["green 1", "green 2", "green 3"], all.Select(e => e.Event));
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(
                all.Skip(i + 1).Select(e => e.Event),
                (await AllAsync(Query(all[i].Offset))).Select(e => e.Event)
            );
        }

        Source<EventEnvelope, global::Akka.NotUsed> Query(Offset offset) =>
            tag is null ? Queries.CurrentAllEvents(offset) : Queries.CurrentEventsByTag(tag, offset);
    }

    [Fact]
    public async Task All_events_come_in_the_order_of_their_commits()
    {
        for (var i = 1; i <= 20; i++)
            Write($"id-{i % 3}", (i + 2) / 3, $"{i}");
        var all = await AllAsync(Queries.CurrentAllEvents(Offset.NoOffset()));
        Assert.Equal(Enumerable.Range(1, 20).Select(i => $"{i}"), all.Select(e => (string)e.Event));
        Assert.Equal(all.Select(e => e.Offset).Order(), all.Select(e => e.Offset));
    }

    [Fact]
    public async Task Each_persistence_id_is_named_once()
    {
        Write("a", 1, "1");
        Write("b", 1, "1");
        Write("a", 2, "2", "3");
        Save("only-a-snapshot", 1, "state");
        Assert.Equal(["a", "b", "only-a-snapshot"], (await AllAsync(Queries.CurrentPersistenceIds())).Order());
    }

    private async Task<List<T>> AllAsync<T>(Source<T, global::Akka.NotUsed> source) =>
        [.. await source.RunWith(Sink.Seq<T>(), Sys.Materializer()).WaitAsync(Soon)];
}

public sealed class EmbeddedQueryTests() : QueryTests(SpecPlace.Embedded());

[Collection(SpecServer.Collection)]
public sealed class RemoteQueryTests() : QueryTests(SpecPlace.Remote());
