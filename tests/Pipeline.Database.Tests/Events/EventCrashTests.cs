using System.Globalization;
using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Events;

/// <summary>
/// Random appends, deletions and snapshots in commits, against a model; after a crash anywhere the events are those of
/// a commit, and the offline check finds nothing.
/// </summary>
public sealed class EventCrashTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task The_events_after_a_crash_are_those_of_a_commit(int seed)
    {
        var random = new Random(seed);
        using var disk = new SimulatedDisk();
        var model = new EventModel();
        var states = new HashSet<string> { model.Show() };
        await using (var db = Open(disk))
        {
            for (var commit = 0; commit < 120; commit++)
            {
                await WriteAsync(db, random, model);
                var state = model.Show();
                states.Add(state);
                Assert.Equal(state, Show(db));
            }
        }

        CrashedDatabase.AssertSound(disk, $"seed {seed}");
        await CrashPoints.CheckAsync(
            disk,
            random,
            40,
            async (crashed, point) =>
            {
                await using (var db = Open(crashed))
                {
                    var found = Show(db);
                    Assert.True(
                        states.Contains(found),
                        $"seed {seed}, crash after disk event {point}: the recovered state matches no state between commits:\n{found}"
                    );
                    var before = db.LastPosition;
                    var next = await db.Events.AppendAsync("s0", [new EventData { Payload = "after"u8.ToArray() }]);
                    Assert.Equal(before + 1, next.LastPosition);
                }

                CrashedDatabase.AssertSound(crashed, $"seed {seed}, crash after disk event {point}");
            }
        );
    }

    private static DocumentDatabase Open(SimulatedDisk disk) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = disk,
                TimeProvider = new ManualTimeProvider(),
            }
        );

    private static Task WriteAsync(DocumentDatabase db, Random random, EventModel model)
    {
        var steps = new List<Action<DocumentTransaction>>();
        for (var i = random.Next(1, 5); i > 0; i--)
        {
            var stream = $"s{random.Next(6)}";
            switch (random.Next(8))
            {
                case 0:
                    long through = random.Next(1, 40);
                    var most = random.Next(1, 6);
                    model.Delete(stream, through, most);
                    steps.Add(t => t.DeleteEvents(stream, through, most));
                    break;
                case 1:
                    byte[] state = [(byte)random.Next(256)];
                    long sequence = random.Next(1, 5);
                    model.Snapshots[(stream, sequence)] = state[0];
                    steps.Add(t =>
                        t.SaveSnapshot(
                            stream,
                            new StreamSnapshot
                            {
                                SequenceNumber = sequence,
                                Timestamp = DateTimeOffset.UnixEpoch,
                                Payload = state,
                            }
                        )
                    );
                    break;
                case 2:
                    var id = $"d{random.Next(3)}";
                    model.Position++;
                    steps.Add(t => t.Put(id, "{}"u8));
                    break;
                default:
                    var events = new List<EventData>();
                    for (var n = random.Next(1, 4); n > 0; n--)
                    {
                        string text = new(
                            (char)('a' + random.Next(26)),
                            random.Next(8) == 0 ? 3_000 : random.Next(1, 60)
                        );
                        string[] tags =
                        [
                            .. Enumerable.Range(0, 3).Where(_ => random.Next(3) == 0).Select(tag => $"t{tag}"),
                        ];
                        events.Add(new EventData { Payload = Encoding.UTF8.GetBytes(text), Tags = tags });
                        model.Append(stream, text, tags);
                    }

                    steps.Add(t => t.AppendEvents(stream, events));
                    break;
            }
        }

        return db.WriteAsync(t =>
        {
            foreach (var step in steps)
                step(t);
        });
    }

    private static string Show(DocumentDatabase db)
    {
        using var snapshot = db.OpenSnapshot();
        var text = new StringBuilder();
        using (var all = snapshot.ReadEvents(0))
        {
            foreach (var e in all)
            {
                text.AppendLine(
                    EventModel.Line(
                        e.Position,
                        e.StreamId,
                        e.SequenceNumber,
                        Encoding.UTF8.GetString(e.Payload.Span),
                        e.Tags
                    )
                );
            }
        }

        for (var s = 0; s < 6; s++)
        {
            using var stream = snapshot.ReadStream($"s{s}");
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"s{s}: {snapshot.GetHighestSequence($"s{s}")} {string.Join(',', stream.Select(e => e.SequenceNumber))}"
            );
            for (long n = 1; n < 5; n++)
            {
                if (
                    snapshot.LoadSnapshot($"s{s}", StreamSnapshotCriteria.UpTo(n) with { MinSequence = n }) is { } found
                )
                {
                    text.AppendLine(CultureInfo.InvariantCulture, $"snapshot s{s} {n} {found.Payload.Span[0]}");
                }
            }
        }

        for (var tag = 0; tag < 3; tag++)
        {
            using var tagged = snapshot.ReadEvents(0, EventFilter.WithTag($"t{tag}"));
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"t{tag}: {string.Join(',', tagged.Select(e => e.Position))}"
            );
        }

        return text.ToString();
    }
}
