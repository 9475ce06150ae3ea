using System.Diagnostics;
using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Events;

/// <summary>
/// A process that appends events is killed at seeded moments, PIPELINE_KILLS times (5 by default).
/// Every append reported as durable must be there once, in order and whole. Positions only grow; no query or projection
/// skips or repeats an event.
/// </summary>
public sealed class EventKillTests(ITestOutputHelper output)
{
    private const int DefaultKills = 5;
    private readonly Dictionary<string, (long Sequence, long Position)> _appended = [];
    private readonly Dictionary<string, long> _saved = [];
    private int _appends;

    [Fact]
    public async Task Killed_in_full_load_every_acknowledged_event_is_there_once_in_order()
    {
        var kills = ChildProcess.Kills ?? DefaultKills;
        var random = new Random(17);
        var watch = Stopwatch.StartNew();
        var folder = Directory.CreateTempSubdirectory("pipeline-event-kill-").FullName;
        try
        {
            for (var kill = 0; kill < kills; kill++)
            {
                await RunAndKillAsync(folder, kill, random.Next(20, 3_000));
                await CheckAsync(folder, kill);
            }

            output.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{kills} kills in {watch.Elapsed.TotalSeconds:f0} s: {_appends} appends acknowledged, {_appended.Values.Sum(a => a.Sequence)} events in {_appended.Count} streams, {_saved.Count} streams with snapshots"
                )
            );
            Assert.True(_appends >= kills * 20);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private async Task RunAndKillAsync(string folder, int kill, int after)
    {
        using var child = ChildProcess.Start(
            typeof(EventChild),
            ["event-load", folder, kill.ToString(CultureInfo.InvariantCulture)]
        );
        await ChildProcess.ReadAndKillAsync(child, after, Note);
    }

    /// <summary>A line that was cut by the kill has no end and counts for nothing.</summary>
    private void Note(string line)
    {
        if (!line.EndsWith(';'))
            return;
        var words = line[..^1].Split(' ');
        var sequence = long.Parse(words[2], CultureInfo.InvariantCulture);
        if (words[0] == "saved")
        {
            _saved[words[1]] = Math.Max(_saved.GetValueOrDefault(words[1]), sequence);
            return;
        }

        _appends++;
        if (sequence > _appended.GetValueOrDefault(words[1]).Sequence)
            _appended[words[1]] = (sequence, long.Parse(words[3], CultureInfo.InvariantCulture));
    }

    private async Task CheckAsync(string folder, int kill)
    {
        await using var database = EventChild.Open(folder);
        await EventChild.Projection(database).RunAsync(untilCurrent: true);
        using var snapshot = database.OpenSnapshot();
        Assert.Empty(snapshot.GetByPrefix("broken/"));
        var streams = new Dictionary<string, long>();
        long thirds = 0,
            last = 0;
        foreach (var item in ReadAll(snapshot, EventFilter.All))
        {
            Assert.True(item.Position > last, $"kill {kill}: position {item.Position} after {last}");
            last = item.Position;
            Assert.Equal(streams.GetValueOrDefault(item.StreamId) + 1, item.SequenceNumber);
            Assert.Equal(
                EventChild.Payload(item.StreamId, item.SequenceNumber),
                Encoding.UTF8.GetString(item.Payload.Span)
            );
            streams[item.StreamId] = item.SequenceNumber;
            if (item.SequenceNumber % 3 == 0)
                thirds++;
            if (_appended.TryGetValue(item.StreamId, out var told) && told.Sequence == item.SequenceNumber)
            {
                Assert.Equal(told.Position, item.Position);
            }
        }

        Assert.Equal(thirds, ReadAll(snapshot, EventFilter.WithTag("third")).Count());
        foreach ((var stream, (var sequence, var _)) in _appended)
        {
            Assert.True(
                streams.GetValueOrDefault(stream) >= sequence,
                $"kill {kill}: event {sequence} of {stream} was acknowledged and is gone"
            );
        }

        foreach ((var stream, var highest) in streams)
        {
            Assert.Equal(highest, snapshot.GetHighestSequence(stream));
            using var own = snapshot.ReadStream(stream, limits: new ChangeLimits(int.MaxValue, int.MaxValue));
            Assert.Equal(highest, own.Count);
            Assert.True(
                snapshot.TryGet("seen/" + stream, out var seen) && seen.Body.Root["Last"].GetInt64() == highest,
                $"kill {kill}: the projection has not seen event {highest} of {stream}"
            );
        }

        foreach ((var stream, var sequence) in _saved)
        {
            var found = snapshot.LoadSnapshot(stream, StreamSnapshotCriteria.All);
            Assert.True(
                found is not null && found.SequenceNumber >= sequence,
                $"kill {kill}: the snapshot {sequence} of {stream} is gone"
            );
        }
    }

    private static IEnumerable<StoredEvent> ReadAll(DatabaseSnapshot snapshot, EventFilter filter)
    {
        for (long after = 0; ; )
        {
            using var batch = snapshot.ReadEvents(after, filter);
            foreach (var item in batch)
                yield return item;
            after = batch.Through;
            if (!batch.HasMore)
                yield break;
        }
    }
}
