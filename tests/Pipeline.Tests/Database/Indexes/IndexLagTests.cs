using System.Diagnostics.Metrics;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Tests.Database.Indexes;

/// <summary>How far indexes are behind, and what their batches took.</summary>
public sealed class IndexLagTests
{
    [Fact]
    public async Task Lag_is_told_in_changes_and_in_time()
    {
        var time = new ManualTimeProvider();
        await using DocumentDatabase db = IndexedDatabase.Open(time: time);
        await db.Indexes.PutAsync(IndexedDatabase.Definition("I", "from o in docs.Orders select new { o.X }"));
        await db.PutAsync("orders/0", "Orders", "{\"X\":0}");
        await db.SettleAsync("I");
        Assert.Equal((0L, TimeSpan.Zero), (db.Indexes.Get("I")!.Lag, db.Indexes.Get("I")!.LagTime));
        await db.Indexes.SetStateAsync("I", IndexState.Paused);
        await db.PutAsync("people/1", "People", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal((1L, TimeSpan.Zero), (db.Indexes.Get("I")!.Lag, db.Indexes.Get("I")!.LagTime));
        await db.PutAsync("orders/1", "Orders", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(3));
        await db.PutAsync("orders/2", "Orders", "{\"X\":0}");
        time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal((3L, TimeSpan.FromSeconds(7)), (db.Indexes.Get("I")!.Lag, db.Indexes.Get("I")!.LagTime));
        Assert.Equal((3, 7), (Gauge(db, "pipeline.index.lag"), Gauge(db, "pipeline.index.lag.time")));
        await db.Indexes.SetStateAsync("I", IndexState.Normal);
        await db.SettleAsync("I");
        Assert.Equal((0, 0), (Gauge(db, "pipeline.index.lag"), Gauge(db, "pipeline.index.lag.time")));
    }

    [Fact]
    public async Task What_a_batch_did_is_kept_and_measured()
    {
        var measured = new Dictionary<string, double>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, own) =>
            {
                if (instrument.Name.StartsWith("pipeline.index.", StringComparison.Ordinal)) own.EnableMeasurementEvents(instrument);
            },
        };
        void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            bool isOwn = false;
            string name = instrument.Name;
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                isOwn |= tag is { Key: "pipeline.index", Value: "Measured" };
                if (tag.Key == "pipeline.index.step") name += "/" + tag.Value;
            }

            if (!isOwn) return;
            lock (measured) measured[name] = measured.GetValueOrDefault(name) + value;
        }

        listener.SetMeasurementEventCallback<long>((i, v, t, _) => Add(i, v, t));
        listener.SetMeasurementEventCallback<double>((i, v, t, _) => Add(i, v, t));
        listener.Start();
        await using DocumentDatabase db = IndexedDatabase.Open();
        for (int i = 0; i < 50; i++) await db.PutAsync($"orders/{i}", "Orders", $$"""{"G":{{i % 5}},"X":{{(i == 7 ? "\"no\"" : "1")}}}""");
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Measured", "from o in docs.Orders select new { o.G, X = o.X * 1 }", "from r in results group r by r.G into g select new { G = g.Key, X = g.Sum(x => x.X) }"));
        await db.SettleAsync("Measured");
        await db.DeleteAsync("orders/3");
        await db.SettleAsync("Measured");
        IReadOnlyList<IndexBatchStatistics> batches = db.Indexes.GetBatches("Measured");
        Assert.Equal((50, 51, 1, 1), (batches.Sum(b => b.Documents), batches.Sum(b => b.Changes), batches.Sum(b => b.Deletes), batches.Sum(b => b.Errors)));
        Assert.Equal(6, batches.Sum(b => b.Groups));
        using (DatabaseSnapshot snapshot = db.OpenSnapshot())
        {
            Assert.Equal(batches[^1].Through, snapshot.LastPosition);
            Assert.InRange(batches.Sum(b => b.DocumentBytes), 50 * 5, 50 * 100);
        }

        Assert.All(batches, b => Assert.True(b.MapTime > TimeSpan.Zero && b.ReduceTime > TimeSpan.Zero && b.CommitTime > TimeSpan.Zero && b.MemoryBytes > 0));

        // A batch is measured after who waits for it goes on.
        while (true)
        {
            lock (measured)
            {
                if (measured.GetValueOrDefault("pipeline.index.batches") >= batches.Count) break;
            }

            await Task.Yield();
        }

        lock (measured)
        {
            Assert.Equal((50, 1, batches.Sum(b => b.Entries)), (measured["pipeline.index.documents"], measured["pipeline.index.errors"], measured["pipeline.index.entries"]));
            Assert.Equal(batches.Sum(b => b.DocumentBytes), measured["pipeline.index.io"]);
            Assert.Equal(batches.Sum(b => b.MapTime.TotalSeconds), measured["pipeline.index.batch.duration/map"], 6);
            Assert.Equal(batches.Sum(b => b.CommitTime.TotalSeconds), measured["pipeline.index.batch.duration/commit"], 6);
        }
    }

    private static double Gauge(DocumentDatabase db, string name)
    {
        double value = double.NaN;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, own) =>
            {
                if (instrument.Name == name) own.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((_, v, tags, _) =>
        {
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                if (tag is { Key: "pipeline.index", Value: "I" }) value = v;
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return value;
    }
}
