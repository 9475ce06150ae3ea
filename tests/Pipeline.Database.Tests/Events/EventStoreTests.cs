using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Events;

public sealed partial class EventStoreTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private DocumentDatabase _db = null!;

    public Task InitializeAsync()
    {
        _db = DocumentDatabase.Open(new DatabaseOptions { Name = "test", TimeProvider = _time });
        return Task.CompletedTask;
    }

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Fact]
    public async Task Events_and_documents_take_their_positions_from_one_count()
    {
        await Append("a", "1", "2");
        await _db.PutAsync("d", "{}"u8.ToArray());
        var result = await Append("b", "3");
        Assert.Equal((1, 4L), (result.LastSequenceNumber, result.LastPosition));
        Assert.Equal(["1 a/1 1", "2 a/2 2", "4 b/1 3"], Read());
        Assert.Equal(["4 b/1 3"], Read(after: 2));
        using var none = _db.Events.Read(4);
        Assert.Equal((0, 4L, false), (none.Count, none.Through, none.HasMore));
        Assert.Equal([new EventStreamInfo(1, "a"), new EventStreamInfo(2, "b")], _db.Events.ReadStreams());
    }

    [Fact]
    public async Task A_number_that_is_taken_or_an_unexpected_highest_one_refuses_the_whole_append()
    {
        await Append("a", "1", "2");
        var e = await Assert.ThrowsAsync<EventConflictException>(() => _db.Events.AppendAsync("a", [Event("x", 2)]));
        Assert.Equal((2, 2L), (e.SequenceNumber, e.Highest));
        await Assert.ThrowsAsync<EventConflictException>(() =>
            _db.Events.AppendAsync("a", [Event("x")], expectedSequence: 1)
        );
        await Assert.ThrowsAsync<EventConflictException>(() =>
            _db.WriteAsync(t =>
            {
                t.AppendEvents("b", [Event("with it")]);
                t.AppendEvents("a", [Event("3", 3), Event("3 again", 3)]);
            })
        );
        Assert.Equal(["1 a/1 1", "2 a/2 2"], Read());
        await _db.Events.AppendAsync("a", [Event("5", 5)], expectedSequence: 2);
        Assert.Equal(["1 a/1 1", "2 a/2 2", "3 a/5 5"], Read());
    }

    [Fact]
    public async Task An_append_whose_answer_was_lost_can_be_done_again_by_its_writer_only()
    {
        EventData[] events = [Event("1", 1) with { Writer = "w" }, Event("2", 2) with { Writer = "w" }];
        await _db.Events.AppendAsync("a", events);
        var again = await _db.Events.AppendAsync("a", events);
        Assert.Equal((2, 2L), (again.LastSequenceNumber, again.LastPosition));
        await Assert.ThrowsAsync<EventConflictException>(() =>
            _db.Events.AppendAsync("a", [events[1] with { Writer = "other" }])
        );
        await Assert.ThrowsAsync<EventConflictException>(() =>
            _db.Events.AppendAsync("a", [events[1] with { Payload = "other"u8.ToArray() }])
        );
        Assert.Equal(["1 a/1 1", "2 a/2 2"], Read());
    }

    [Fact]
    public async Task The_highest_number_survives_deletion_and_positions_are_never_given_again()
    {
        await Append("a", "1", "2", "3");
        Assert.Equal(3, await _db.Events.DeleteAsync("a", long.MaxValue));
        Assert.Empty(Read());
        Assert.Equal(3, await _db.Events.GetHighestSequenceAsync("a"));
        Assert.Equal((4, 4L), await AppendPair("a", "4"));
        Assert.Equal(["4 a/4 4"], Read());
        Assert.Equal(0, await _db.Events.DeleteAsync("a", 3));
        Assert.Equal(0, await _db.Events.DeleteAsync("none", 3));
        Assert.Equal(0, await _db.Events.GetHighestSequenceAsync("none"));
    }

    [Fact]
    public async Task The_highest_number_counts_appends_that_are_on_their_way()
    {
        var appends = new List<Task>();
        for (var i = 1; i <= 50; i++)
            appends.Add(Append("a", $"{i}"));
        Assert.Equal(50, await _db.Events.GetHighestSequenceAsync("a"));
        await Task.WhenAll(appends);
    }

    [Fact]
    public async Task A_stream_is_read_in_order_in_parts_and_backwards()
    {
        for (var i = 1; i <= 20; i++)
        {
            await Append("b", "other");
            await Append("a", $"{i}");
        }

        using var snapshot = _db.OpenSnapshot();
        var numbers = new List<long>();
        for (long from = 3; ; )
        {
            using var batch = snapshot.ReadStream("a", from, 17, new ChangeLimits(4, 1 << 20));
            numbers.AddRange(batch.Select(e => e.SequenceNumber));
            from = batch.Through + 1;
            if (!batch.HasMore)
                break;
        }

        Assert.Equal(Enumerable.Range(3, 15).Select(i => (long)i), numbers);
        numbers.Clear();
        for (var before = long.MaxValue; ; )
        {
            using var batch = snapshot.ReadStreamBackwards("a", before, new ChangeLimits(6, 1 << 20));
            numbers.AddRange(batch.Select(e => e.SequenceNumber));
            before = batch.Through;
            if (!batch.HasMore)
                break;
        }

        Assert.Equal(Enumerable.Range(1, 20).Select(i => (long)i).Reverse(), numbers);
        using var none = snapshot.ReadStream("none");
        Assert.Empty(none);
    }

    [Fact]
    public async Task Events_are_found_by_tags_by_time_and_backwards()
    {
        await Tagged("a", "1", "red");
        _time.Advance(TimeSpan.FromHours(1));
        await Tagged("b", "2", "red", "blue");
        await Tagged("c", "3", "blue", "re");
        _time.Advance(TimeSpan.FromHours(1));
        var third = _time.GetUtcNow();
        await Tagged("d", "4");
        await Tagged("e", "5", "blue", "red", "green");
        Assert.Equal(["1 a/1 1", "2 b/1 2", "5 e/1 5"], Read(filter: EventFilter.WithTag("red")));
        Assert.Equal(
            ["1 a/1 1", "2 b/1 2", "3 c/1 3", "5 e/1 5"],
            Read(filter: new EventFilter { AnyTags = ["red", "blue", "red"] })
        );
        Assert.Equal(["2 b/1 2", "5 e/1 5"], Read(filter: new EventFilter { AllTags = ["red", "blue"] }));
        Assert.Equal(["5 e/1 5"], Read(filter: new EventFilter { AnyTags = ["red"], From = third }));
        Assert.Equal(["4 d/1 4", "5 e/1 5"], Read(filter: new EventFilter { From = third }));
        Assert.Equal(["1 a/1 1", "2 b/1 2", "3 c/1 3"], Read(filter: new EventFilter { Until = third }));
        Assert.Empty(Read(filter: new EventFilter { From = third.AddTicks(1) }));
        Assert.Empty(Read(filter: EventFilter.WithTag("Red")));
        foreach (
            var filter in new[]
            {
                EventFilter.All,
                EventFilter.WithTag("red"),
                new EventFilter { AnyTags = ["re", "blue"] },
                new EventFilter { Until = third },
                new EventFilter { From = third },
            }
        )
        {
            Assert.Equal(Read(filter: filter).Reverse(), ReadBackwards(filter));
        }

        await _db.Events.DeleteAsync("b", 1);
        Assert.Equal(["5 e/1 5"], Read(filter: new EventFilter { AllTags = ["red", "blue"] }));
    }

    [Fact]
    public async Task Time_never_falls_though_the_clock_does()
    {
        await Append("a", "1");
        var first = _time.GetUtcNow();
        _time.Advance(TimeSpan.FromHours(-1));
        await Append("a", "2");
        using var batch = _db.Events.Read(0);
        Assert.Equal([first, first], batch.Select(e => e.Timestamp));
    }

    [Fact]
    public async Task An_event_a_snapshot_and_a_document_are_one_commit()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(() => Write(fail: true));
        Assert.Equal(0, _db.LastPosition);
        await Write(fail: false);
        using var snapshot = _db.OpenSnapshot();
        Assert.True(snapshot.TryGet("balance/a", out _));
        Assert.Equal(1, snapshot.GetHighestSequence("a"));
        Assert.Equal(
            "s",
            Encoding.UTF8.GetString(snapshot.LoadSnapshot("a", StreamSnapshotCriteria.All)!.Payload.Span)
        );

        Task Write(bool fail) =>
            _db.WriteAsync(t =>
            {
                t.AppendEvents("a", [Event("1")]);
                t.SaveSnapshot(
                    "a",
                    new StreamSnapshot
                    {
                        SequenceNumber = 1,
                        Timestamp = _time.GetUtcNow(),
                        Payload = "s"u8.ToArray(),
                    }
                );
                t.Put("balance/a", "{}"u8);
                if (fail)
                    throw new InvalidOperationException();
            });
    }

    [Fact]
    public async Task An_events_document_has_its_position_is_queried_and_goes_with_it()
    {
        var document = DocumentDraft.Parse("""{"Event":{"Amount":7},"@metadata":{"@collection":"Payments"}}"""u8);
        await _db.Events.AppendAsync(
            "Konto 1",
            [Event("1") with { Document = document }, Event("2") with { Document = document }]
        );
        await _db.Events.AppendAsync("konto 1", [Event("1") with { Document = document }]);
        using (var snapshot = _db.OpenSnapshot())
        {
            using var changes = snapshot.ReadChanges(0, ChangeFilter.Of(["Payments"]));
            Assert.Equal(
                [
                    "1 events/Konto 1/0000000000000000001",
                    "2 events/Konto 1/0000000000000000002",
                    "3 events/2~konto 1/0000000000000000001",
                ],
                changes.Select(c => $"{c.Position} {c.Id}")
            );
            Assert.Equal("7", changes[0].Body.Root["Event"]["Amount"].ToString());
        }

        await _db.Events.DeleteAsync("Konto 1", 1);
        using var after = _db.OpenSnapshot();
        Assert.False(after.TryGet("events/Konto 1/0000000000000000001", out _));
        Assert.True(after.TryGet("events/Konto 1/0000000000000000002", out _));
    }

    [Fact]
    public async Task Ids_that_no_document_can_have_do()
    {
        var document = DocumentDraft.Parse("{}"u8);
        foreach (var id in new[] { "a\u0001b", "ends/", new string('ü', 256), "\U0001F600|", "%" })
            await _db.Events.AppendAsync(id, [Event("1") with { Document = document }]);
        Assert.Equal(5, _db.OpenSnapshotCount());
        await Assert.ThrowsAsync<InvalidEventException>(() => Append(new string('ü', 257), "1"));
        await Assert.ThrowsAsync<InvalidEventException>(() => Append("", "1"));
        await Assert.ThrowsAsync<InvalidEventException>(() => Append("a\0b", "1"));
        await Assert.ThrowsAsync<InvalidEventException>(() => Tagged("a", "1", new string('x', 257)));
        await Assert.ThrowsAsync<InvalidEventException>(() => Tagged("a", "1", ""));
    }

    [Fact]
    public async Task Followers_get_what_is_there_and_then_each_commit()
    {
        await Tagged("a", "1", "t");
        using var stop = new CancellationTokenSource();
        await using var all = _db.Events.FollowAsync(0, ct: stop.Token).GetAsyncEnumerator();
        await using var tagged = _db
            .Events.FollowAsync(0, EventFilter.WithTag("t"), ct: stop.Token)
            .GetAsyncEnumerator();
        await using var stream = _db.Events.FollowStreamAsync("b", to: 2, ct: stop.Token).GetAsyncEnumerator();
        await using var streams = _db.Events.FollowStreamsAsync(ct: stop.Token).GetAsyncEnumerator();
        Assert.Equal("1", await Next(all));
        Assert.Equal("1", await Next(tagged));
        Assert.True(await streams.MoveNextAsync() && streams.Current.StreamId == "a");
        (var next, var nextTagged, var nextOfStream) = (Next(all), Next(tagged), Next(stream));
        var nextStream = streams.MoveNextAsync();
        Assert.False(next.IsCompleted || nextTagged.IsCompleted || nextOfStream.IsCompleted || nextStream.IsCompleted);
        await Append("b", "2");
        Assert.Equal(("2", "2"), (await next, await nextOfStream));
        Assert.True(await nextStream && streams.Current.StreamId == "b");
        await Tagged("b", "3", "t");
        Assert.Equal("3", await nextTagged);
        Assert.Equal("3", await Next(stream));
        Assert.False(await stream.MoveNextAsync());
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Next(all));

        static async Task<string> Next(IAsyncEnumerator<EventBatch> batches) =>
            await batches.MoveNextAsync()
                ? string.Concat(batches.Current.Select(e => Encoding.UTF8.GetString(e.Payload.Span)))
                : "end";
    }

    private static EventData Event(string payload, long number = 0) =>
        new()
        {
            Payload = Encoding.UTF8.GetBytes(payload),
            SequenceNumber = number,
            Manifest = "text",
            SerializerId = 7,
        };

    private Task<AppendResult> Append(string stream, params string[] payloads) =>
        _db.Events.AppendAsync(stream, [.. payloads.Select(p => Event(p))]);

    private async Task<(int, long)> AppendPair(string stream, string payload) =>
        await Append(stream, payload) is var r ? ((int)r.LastSequenceNumber, r.LastPosition) : default;

    private Task<AppendResult> Tagged(string stream, string payload, params string[] tags) =>
        _db.Events.AppendAsync(stream, [Event(payload) with { Tags = tags }]);

    private string[] Read(long after = 0, EventFilter? filter = null)
    {
        using var snapshot = _db.OpenSnapshot();
        var all = new List<string>();
        while (true)
        {
            using var batch = snapshot.ReadEvents(after, filter, new ChangeLimits(2, 1 << 20));
            all.AddRange(batch.Select(Show));
            after = batch.Through;
            if (!batch.HasMore)
                return [.. all];
        }
    }

    private string[] ReadBackwards(EventFilter? filter)
    {
        using var snapshot = _db.OpenSnapshot();
        var all = new List<string>();
        var before = long.MaxValue;
        while (true)
        {
            using var batch = snapshot.ReadEventsBackwards(before, filter, new ChangeLimits(2, 1 << 20));
            all.AddRange(batch.Select(Show));
            before = batch.Through;
            if (!batch.HasMore)
                return [.. all];
        }
    }

    private static string Show(StoredEvent e) =>
        $"{e.Position} {e.StreamId}/{e.SequenceNumber} {Encoding.UTF8.GetString(e.Payload.Span)}";
}

file static class Counting
{
    public static int OpenSnapshotCount(this DocumentDatabase db)
    {
        using var snapshot = db.OpenSnapshot();
        return snapshot.GetByPrefix("events/").Count();
    }
}
