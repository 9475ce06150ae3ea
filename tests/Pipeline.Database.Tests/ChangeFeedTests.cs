using System.Text;
using Pipeline.Documents;
using Xunit;

namespace Pipeline.Database.Tests;

public sealed class ChangeFeedTests : IAsyncLifetime
{
    private readonly DocumentDatabase _db = TestDatabase.Open();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Fact]
    public async Task Each_document_is_there_once_with_its_last_version()
    {
        await Put("a", "X", 1);
        await Put("b", "X", 2);
        await Put("A", "X", 3);
        await _db.DeleteAsync("B");
        Assert.Equal(["3 Put A X {\"N\":3}"], Read(0, ChangeFilter.All));
        Assert.Equal(["3 Put A X {\"N\":3}", "4 Delete b X "], Read(0, ChangeFilter.AllWithDeletes));
        await Put("b", "X", 5);
        Assert.Equal(["3 Put A X {\"N\":3}", "5 Put b X {\"N\":5}"], Read(0, ChangeFilter.AllWithDeletes));
        Assert.Equal(["5 Put b X {\"N\":5}"], Read(3, ChangeFilter.AllWithDeletes));
        Assert.Empty(Read(5, ChangeFilter.AllWithDeletes));
    }

    [Fact]
    public async Task Collections_are_merged_in_order_and_others_passed_over()
    {
        for (var i = 1; i <= 60; i++)
            await Put($"d{i}", $"C{i % 6}", i);
        await _db.DeleteAsync("d1");
        await _db.DeleteAsync("d2");
        long[] expected = [.. Enumerable.Range(1, 60).Where(i => i % 6 is 1 or 4 && i != 1).Select(i => (long)i)];
        using var snapshot = _db.OpenSnapshot();
        using (var batch = snapshot.ReadChanges(0, ChangeFilter.Of(["c1", "C4", "none", "c1"])))
        {
            Assert.Equal(expected, batch.Select(c => c.Position));
            Assert.Equal((62, false), (batch.Through, batch.HasMore));
        }

        using (var batch = snapshot.ReadChanges(0, ChangeFilter.Of(["C1", "C4"], includeDeletes: true)))
        {
            Assert.Equal([.. expected, 61], batch.Select(c => c.Position));
        }

        using (var batch = snapshot.ReadChanges(0, ChangeFilter.Of([])))
            Assert.Equal((0, 62L), (batch.Count, batch.Through));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Limits_cut_a_batch_and_reading_goes_on_where_it_ended(bool byCollection)
    {
        for (var i = 1; i <= 20; i++)
            await Put($"d{i}", "C", i);
        var filter = byCollection ? ChangeFilter.Of(["C"]) : ChangeFilter.All;
        using var snapshot = _db.OpenSnapshot();
        foreach (
            var limits in new[] { new ChangeLimits(3, 1 << 20), new ChangeLimits(100, 60), new ChangeLimits(100, 1) }
        )
        {
            var seen = new List<long>();
            long after = 0;
            var more = true;
            while (more)
            {
                using var batch = snapshot.ReadChanges(after, filter, limits);
                Assert.InRange(batch.Count, 1, limits.MaxCount);
                Assert.True(batch.Count == 1 || batch.Bytes <= limits.MaxBytes);
                seen.AddRange(batch.Select(c => c.Position));
                Assert.All(batch, c => Assert.Equal(c.Position, c.Body.Root["N"].GetInt64()));
                after = batch.Through;
                more = batch.HasMore;
            }

            Assert.Equal(Enumerable.Range(1, 20).Select(i => (long)i), seen);
        }
    }

    [Fact]
    public async Task Who_follows_a_collection_learns_that_a_document_left_it()
    {
        var a = ChangeFilter.Of(["A"], includeDeletes: true);
        var b = ChangeFilter.Of(["B"], includeDeletes: true);
        await Put("d", "A", 1);
        await Put("d", "B", 2);
        Assert.Equal(["2 Leave d A "], Read(0, a));
        Assert.Equal(["3 Put d B {\"N\":2}"], Read(0, b));
        Assert.Equal(["3 Put d B {\"N\":2}"], Read(0, ChangeFilter.AllWithDeletes));

        await Put("d", "A", 3);
        Assert.Equal(["5 Put d A {\"N\":3}"], Read(0, a));
        Assert.Equal(["4 Leave d B "], Read(0, b));

        await _db.DeleteAsync("d");
        Assert.Equal(["6 Delete d A "], Read(0, a));
        await Put("d", "C", 4);
        Assert.Equal(["6 Delete d A "], Read(0, a));
        Assert.Equal(["4 Leave d B "], Read(0, b));
        Assert.Equal(["7 Put d C {\"N\":4}"], Read(0, ChangeFilter.Of(["C"])));
        await Put("d", "B", 5);
        await Put("d", "A", 6);
        using var snapshot = _db.OpenSnapshot();
        var figures = snapshot.GetStatistics();
        Assert.Equal((1, 2), (figures.Documents, figures.Tombstones));
        Assert.Equal(
            ["A 1 0", "B 0 1", "C 0 1"],
            figures.Collections.Select(c => $"{c.Name} {c.Documents} {c.Tombstones}")
        );
    }

    [Fact]
    public async Task A_batch_is_of_no_use_after_its_disposal()
    {
        await Put("d", "A", 1);
        using var snapshot = _db.OpenSnapshot();
        var batch = snapshot.ReadChanges(0, ChangeFilter.All);
        batch.Dispose();
        Assert.Throws<ObjectDisposedException>(() => batch[0]);
        Assert.Throws<ObjectDisposedException>(() => batch.GetEnumerator());
    }

    [Fact]
    public async Task Waiting_ends_with_the_next_change_and_not_with_private_state()
    {
        var first = _db.WaitForChangeAsync(0);
        var second = _db.WaitForChangeAsync(1);
        using var stop = new CancellationTokenSource();
        var stopped = _db.WaitForChangeAsync(0, stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stopped);
        await _db.WriteAsync(t => t.SetState("k", [1]));
        Assert.False(first.IsCompleted);
        await Put("d", "A", 1);
        await first;
        Assert.False(second.IsCompleted);
        Assert.True(_db.WaitForChangeAsync(0).IsCompletedSuccessfully);
        await Put("d", "A", 1);
        await second;
        var closed = _db.WaitForChangeAsync(2);
        await _db.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _db.WaitForChangeAsync(2));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Concurrent_writers_leave_no_gaps_and_a_follower_sees_the_same_as_the_database(int seed)
    {
        const int writers = 4,
            each = 150;
        var positions = new List<long>();
        var done = new CancellationTokenSource();
        var follower = Task.Run(() => Follow(done.Token));
        await Task.WhenAll(
            Enumerable
                .Range(0, writers)
                .Select(w =>
                    Task.Run(async () =>
                    {
                        var random = new Random(seed * 100 + w);
                        for (var i = 0; i < each; i++)
                        {
                            var id = $"d{random.Next(40)}";
                            (var from, var to) = await _db.WriteAsync(t =>
                            {
                                var before = t.LastPosition;
                                if (random.Next(4) == 0)
                                {
                                    t.Delete(id);
                                }
                                else
                                {
                                    t.Put(
                                        id,
                                        Encoding.UTF8.GetBytes(
                                            "{\"W\":"
                                                + w
                                                + ",\"I\":"
                                                + i
                                                + ",\"@metadata\":{\"@collection\":\"C"
                                                + random.Next(3)
                                                + "\"}}"
                                        )
                                    );
                                }

                                return (before, t.LastPosition);
                            });
                            lock (positions)
                            {
                                for (var p = from + 1; p <= to; p++)
                                    positions.Add(p);
                            }
                        }
                    })
                )
        );
        await done.CancelAsync();
        var followed = await follower;
        positions.Sort();
        Assert.Equal(Enumerable.Range(1, positions.Count).Select(i => (long)i), positions);
        using var snapshot = _db.OpenSnapshot();
        Assert.Equal(positions.Count, snapshot.LastPosition);
        var stored = snapshot.GetByPrefix("").ToDictionary(d => d.Id, d => d.Body.ToString());
        Assert.Equal(
            stored.OrderBy(p => p.Key, StringComparer.Ordinal),
            followed.OrderBy(p => p.Key, StringComparer.Ordinal)
        );
        Assert.Equal(stored.Count, snapshot.GetStatistics().Documents);
        foreach (var collection in new[] { "C0", "C1", "C2" })
        {
            Assert.Equal(
                snapshot.GetByPrefix("").Where(d => d.Collection == collection).Select(d => d.Position).Order(),
                snapshot.GetByCollection(collection).Select(d => d.Position)
            );
        }
    }

    [Theory]
    [InlineData(21)]
    [InlineData(22)]
    [InlineData(23)]
    public async Task Followers_of_one_collection_come_to_hold_just_that_collection(int seed)
    {
        var random = new Random(seed);
        var held = new Dictionary<string, string>[] { [], [], [] };
        var after = new long[3];
        for (var step = 0; step < 400; step++)
        {
            var id = $"d{random.Next(12)}";
            if (random.Next(4) == 0)
                await _db.DeleteAsync(id);
            else
                await Put(id, $"C{random.Next(3)}", step);
            var c = random.Next(3);
            if (random.Next(3) == 0)
                CatchUp($"C{c}", held[c], ref after[c]);
        }

        using var snapshot = _db.OpenSnapshot();
        for (var c = 0; c < 3; c++)
        {
            CatchUp($"C{c}", held[c], ref after[c]);
            Assert.Equal(
                snapshot.GetByCollection($"C{c}").Select(d => $"{d.Id} {d.Body}").Order(StringComparer.Ordinal),
                held[c].Select(p => $"{p.Key} {p.Value}").Order(StringComparer.Ordinal)
            );
        }

        var figures = snapshot.GetStatistics();
        var records = 0;
        for (long position = 1; position <= snapshot.LastPosition; position++)
            records += snapshot.TryGetByPosition(position, out _) ? 1 : 0;
        Assert.Equal(figures.Documents + figures.Tombstones, records);
        Assert.InRange(records, 0, 12 * 3);
    }

    private void CatchUp(string collection, Dictionary<string, string> held, ref long after)
    {
        using var snapshot = _db.OpenSnapshot();
        var more = true;
        while (more)
        {
            using var batch = snapshot.ReadChanges(
                after,
                ChangeFilter.Of([collection], includeDeletes: true),
                new ChangeLimits(5, 1 << 20)
            );
            foreach (var change in batch)
            {
                if (change.IsDeleted)
                    held.Remove(change.Id);
                else
                    held[change.Id] = change.Body.ToString();
            }

            after = batch.Through;
            more = batch.HasMore;
        }
    }

    private Dictionary<string, string> Follow(CancellationToken done)
    {
        var state = new Dictionary<string, string>();
        long after = 0;
        while (true)
        {
            var last = done.IsCancellationRequested;
            using var snapshot = _db.OpenSnapshot();
            using var batch = snapshot.ReadChanges(after, ChangeFilter.AllWithDeletes, new ChangeLimits(7, 1 << 20));
            var previous = after;
            foreach (var change in batch)
            {
                Assert.True(change.Position > previous, $"position {change.Position} after {previous}");
                previous = change.Position;
                if (change.IsDeleted)
                    state.Remove(change.Id);
                else
                    state[change.Id] = change.Body.ToString();
            }

            after = batch.Through;
            if (last && !batch.HasMore)
                return state;
            if (!batch.HasMore)
            {
                WaitHandle.WaitAny([
                    done.WaitHandle,
                    ((IAsyncResult)_db.WaitForChangeAsync(after, done)).AsyncWaitHandle,
                ]);
            }
        }
    }

    private Task<PutResult> Put(string id, string collection, int n) =>
        _db.PutAsync(
            id,
            Encoding.UTF8.GetBytes("{\"N\":" + n + ",\"@metadata\":{\"@collection\":\"" + collection + "\"}}")
        );

    private List<string> Read(long after, ChangeFilter filter)
    {
        using var snapshot = _db.OpenSnapshot();
        using var batch = snapshot.ReadChanges(after, filter);
        Assert.Equal(snapshot.LastPosition, batch.Through);
        return [.. batch.Select(c => $"{c.Position} {c.Kind} {c.Id} {c.Collection} {c.Body}")];
    }
}
