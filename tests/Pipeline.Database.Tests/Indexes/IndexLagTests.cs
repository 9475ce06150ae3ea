using System.Diagnostics.Metrics;
using System.Threading.Channels;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>How far indexes are behind, the cost of their batches, and how they make room for writers.</summary>
public sealed class IndexLagTests
{
    [Fact]
    public async Task Lag_is_told_in_changes_and_in_time()
    {
        var time = new ManualTimeProvider();
        await using var db = IndexedDatabase.Open(time: time);
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Lagging", "from o in docs.Orders select new { o.X }"));
        await db.PutAsync("orders/0", "Orders", "{\"X\":0}");
        await db.SettleAsync("Lagging");
        Assert.Equal((0L, TimeSpan.Zero), (db.Indexes.Get("Lagging")!.Lag, db.Indexes.Get("Lagging")!.LagTime));
        await db.Indexes.SetStateAsync("Lagging", IndexState.Paused);
        await db.PutAsync("people/1", "People", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal((1L, TimeSpan.Zero), (db.Indexes.Get("Lagging")!.Lag, db.Indexes.Get("Lagging")!.LagTime));
        await db.PutAsync("orders/1", "Orders", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(3));
        await db.PutAsync("orders/2", "Orders", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(
            (3L, TimeSpan.FromSeconds(7)),
            (db.Indexes.Get("Lagging")!.Lag, db.Indexes.Get("Lagging")!.LagTime)
        );
        Assert.Equal((3, 7), (Gauge("pipeline.index.lag"), Gauge("pipeline.index.lag.time")));
        await db.Indexes.SetStateAsync("Lagging", IndexState.Normal);
        await db.SettleAsync("Lagging");
        Assert.Equal((0, 0), (Gauge("pipeline.index.lag"), Gauge("pipeline.index.lag.time")));
    }

    [Fact]
    public async Task What_a_batch_did_is_kept_and_measured()
    {
        var measured = new Dictionary<string, double>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, own) =>
            {
                if (instrument.Name.StartsWith("pipeline.index.", StringComparison.Ordinal))
                    own.EnableMeasurementEvents(instrument);
            },
        };
        void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            var isOwn = false;
            var name = instrument.Name;
            foreach (var tag in tags)
            {
                isOwn |= tag is { Key: "pipeline.index", Value: "Measured" };
                if (tag.Key == "pipeline.index.step")
                    name += "/" + tag.Value;
            }

            if (!isOwn)
                return;
            lock (measured)
                measured[name] = measured.GetValueOrDefault(name) + value;
        }

        listener.SetMeasurementEventCallback<long>((i, v, t, _) => Add(i, v, t));
        listener.SetMeasurementEventCallback<double>((i, v, t, _) => Add(i, v, t));
        listener.Start();
        await using var db = IndexedDatabase.Open();
        for (var i = 0; i < 50; i++)
            await db.PutAsync($"orders/{i}", "Orders", $$"""{"G":{{i % 5}},"X":{{(i == 7 ? "\"no\"" : "1")}}}""");
        await db.Indexes.PutAsync(
            IndexedDatabase.Definition(
                "Measured",
                "from o in docs.Orders select new { o.G, X = o.X * 1 }",
                "from r in results group r by r.G into g select new { G = g.Key, X = g.Sum(x => x.X) }"
            )
        );
        await db.SettleAsync("Measured");
        await db.DeleteAsync("orders/3");
        await db.SettleAsync("Measured");
        var batches = db.Indexes.GetBatches("Measured");
        Assert.Equal(
            (50, 51, 1, 1),
            (
                batches.Sum(b => b.Documents),
                batches.Sum(b => b.Changes),
                batches.Sum(b => b.Deletes),
                batches.Sum(b => b.Errors)
            )
        );
        Assert.Equal(6, batches.Sum(b => b.Groups));
        using (var snapshot = db.OpenSnapshot())
        {
            Assert.Equal(batches[^1].Through, snapshot.LastPosition);
            Assert.InRange(batches.Sum(b => b.DocumentBytes), 50 * 5, 50 * 100);
        }

        Assert.All(
            batches,
            b =>
                Assert.True(
                    b.MapTime > TimeSpan.Zero
                        && b.ReduceTime > TimeSpan.Zero
                        && b.CommitTime > TimeSpan.Zero
                        && b.MemoryBytes > 0
                )
        );

        // A batch is measured only after its waiters resume.
        while (true)
        {
            lock (measured)
            {
                if (measured.GetValueOrDefault("pipeline.index.batches") >= batches.Count)
                    break;
            }

            await Task.Yield();
        }

        lock (measured)
        {
            Assert.Equal(
                (50, 1, batches.Sum(b => b.Entries)),
                (
                    measured["pipeline.index.documents"],
                    measured["pipeline.index.errors"],
                    measured["pipeline.index.entries"]
                )
            );
            Assert.Equal(batches.Sum(b => b.DocumentBytes), measured["pipeline.index.io"]);
            Assert.Equal(batches.Sum(b => b.MapTime.TotalSeconds), measured["pipeline.index.batch.duration/map"], 6);
            Assert.Equal(
                batches.Sum(b => b.CommitTime.TotalSeconds),
                measured["pipeline.index.batch.duration/commit"],
                6
            );
        }
    }

    [Fact]
    public async Task Indexing_waits_while_writes_take_long_and_goes_on_all_the_same()
    {
        // Each look at the clock takes a millisecond: after some documents a slice of work is done.
        var time = new TickingTimeProvider();
        await using var db = IndexedDatabase.Open(
            time: time,
            indexing: new IndexingOptions
            {
                MaxThrottle = TickingTimeProvider.Held,
                MaxBatchTime = TimeSpan.FromHours(1),
            }
        );
        await db.Indexes.PutAsync(IndexedDatabase.Definition("I", "from o in docs.Orders select new { o.X }"));
        await db.Indexes.SetStateAsync("I", IndexState.Paused);
        var position = await PutManyAsync(db);
        using var release = new ManualResetEventSlim();
        var begun = new TaskCompletionSource();
        var write = Task.Run(() =>
            db.WriteAsync(_ =>
            {
                begun.SetResult();
                release.Wait();
            })
        );
        try
        {
            await begun.Task;
            await WaitsForWriterAsync(db, time, write, position);
        }
        finally
        {
            release.Set();
            await write;
        }

        // Without a write in progress, indexing does not wait.
        await db.Indexes.SetStateAsync("I", IndexState.Paused);
        position = await PutManyAsync(db);
        await db.Indexes.SetStateAsync("I", IndexState.Normal);
        await db.Indexes.WaitAsync("I", position);
        Assert.Equal(0, time.Waiting);
    }

    private static async Task WaitsForWriterAsync(
        DocumentDatabase db,
        TickingTimeProvider time,
        Task write,
        long position
    )
    {
        await db.Indexes.SetStateAsync("I", IndexState.Normal);
        Task settled = db.Indexes.WaitAsync("I", position);
        var waits = 0;
        for (var wait = time.NextAsync(); await Task.WhenAny(wait, settled) == wait; wait = time.NextAsync())
        {
            // Nothing is committed while it waits; the write does not end, and so only the time lets it go on.
            Assert.Empty(db.Indexes.GetBatches("I"));
            waits++;
            (await wait)();
        }

        Assert.False(write.IsCompleted);
        Assert.InRange(waits, 5, 50);
        Assert.True(db.Indexes.GetBatches("I").Sum(b => b.ThrottledTime.Ticks) > 0);
    }

    private static async Task<long> PutManyAsync(DocumentDatabase db)
    {
        var batch = new DocumentBatch();
        for (var i = 0; i < 100; i++)
            batch.Put($"orders/{i}", """{"X":1,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        await db.ExecuteAsync(batch);
        return db.LastPosition;
    }

    /// <summary>Other tests in the process have databases of the same name, but no index of this one's.</summary>
    private static double Gauge(string name)
    {
        var value = double.NaN;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, own) =>
            {
                if (instrument.Name == name)
                    own.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>(
            (_, v, tags, _) =>
            {
                foreach (var tag in tags)
                {
                    if (tag is { Key: "pipeline.index", Value: "Lagging" })
                        value = v;
                }
            }
        );
        listener.Start();
        listener.RecordObservableInstruments();
        return value;
    }

    /// <summary>
    /// A clock that advances by a millisecond at each reading. Waits of <see cref="Held"/> end when the test ends them,
    /// others never.
    /// </summary>
    private sealed class TickingTimeProvider : TimeProvider
    {
        /// <summary>A time in whole milliseconds, as timers are set; no other wait is this long.</summary>
        public static readonly TimeSpan Held = TimeSpan.FromMilliseconds(21);
        private readonly ManualTimeProvider _clock = new();
        private readonly Channel<Action> _waits = Channel.CreateUnbounded<Action>();
        private Task<Action>? _next;
        private long _ticks;

        public override long TimestampFrequency => _clock.TimestampFrequency;

        /// <summary>Waits that have begun and that the test does not know of.</summary>
        public int Waiting => _waits.Reader.Count + (_next is { IsCompleted: true } ? 1 : 0);

        public Task<Action> NextAsync() => _next = _waits.Reader.ReadAsync().AsTask();

        public override DateTimeOffset GetUtcNow() => _clock.GetUtcNow();

        public override long GetTimestamp() => Interlocked.Add(ref _ticks, TimeSpan.TicksPerMillisecond);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = _clock.CreateTimer(
                callback,
                state,
                dueTime == Held ? Timeout.InfiniteTimeSpan : dueTime,
                period
            );
            if (dueTime == Held)
                _waits.Writer.TryWrite(() => callback(state));
            return timer;
        }
    }
}
