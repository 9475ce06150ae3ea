using System.Buffers;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

public sealed class EtlHostTests
{
    [Fact]
    public async Task Messages_come_in_the_order_of_changes_with_ids_that_stay()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 1000);
        await f.RunToEndAsync(
            RunnerFixture.Task(
                "t",
                "send(\"a\", new { doc.N });\nsend(\"b\", doc.N, id: doc.N == 3 ? \"mine\" : null);"
            )
        );
        Assert.Equal(2000, f.Broker.Arrived.Count);
        Assert.Equal(
            Enumerable.Range(0, 1000).Select(n => $"{{\"N\":{n}}}"),
            f.Broker.Arrived.Where(a => a.Message.Destination == "a").Select(a => a.Body)
        );
        var ids = f.Broker.Ids();
        var prefix = f.Feed.DatabaseId + "/t/";
        var first = f.Broker.Arrived[0].Message;
        Assert.Equal($"{prefix}{first.Position}/0", ids[0]);
        Assert.Equal($"{prefix}{first.Position}/1", ids[1]);
        Assert.Equal("mine", ids[7]);
        Assert.Equal("/databases/test/etl/t", first.Source);
        Assert.Equal("pipeline.document.put", first.Type);
        Assert.Equal("things/0", first.Subject);
        Assert.Equal(f.DatabaseTime.GetUtcNow(), first.Time);
        Assert.Equal(2000, ids.Distinct().Count());
    }

    [Fact]
    public async Task A_second_start_goes_on_where_the_first_stopped()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await f.RunToEndAsync(RunnerFixture.Task("t"));
        await f.PutManyAsync(10, 5);
        await f.RunToEndAsync(RunnerFixture.Task("t"));
        Assert.Equal(15, f.Broker.Arrived.Count);
        Assert.Equal(f.Database.LastPosition, f.DurablePosition("t"));
    }

    [Fact]
    public async Task New_changes_are_pushed_to_a_task_that_is_idle()
    {
        await using var f = new RunnerFixture();
        await using var host = f.Start(RunnerFixture.Task("t"));
        for (var n = 0; n < 20; n++)
        {
            await f.PutAsync($"things/{n}", n);
            Assert.True(await f.DrainAsync(host));
            Assert.Equal(n + 1, f.Broker.Arrived.Count);
        }

        var status = Assert.Single(host.GetStatus());
        Assert.Equal(EtlTaskState.Idle, status.State);
        Assert.Equal(0, status.Lag);
        Assert.Equal(20, status.MessagesSent);
        Assert.Equal(20, status.DocumentsRead);
    }

    [Fact]
    public async Task A_document_that_the_transform_fails_on_becomes_a_dead_letter_and_the_others_go_on()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 30);
        await using var host = f.Start(
            RunnerFixture.Task("t", "send(\"out\", doc.N);\nif (doc.N % 10 == 5) throw new Exception(\"no \" + doc.N);")
        );
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(27, f.Broker.Arrived.Count);
        var letters = f.DeadLetters();
        Assert.Equal(3, letters.Count);
        var letter = letters[0];
        Assert.Equal("t", letter.GetProperty("Task").GetString());
        Assert.Equal("transform", letter.GetProperty("Kind").GetString());
        Assert.Equal("things/5", letter.GetProperty("DocumentId").GetString());
        Assert.Equal(1, letter.GetProperty("Attempts").GetInt32());
        Assert.Contains(
            "no 5",
            letter.GetProperty("Error").GetProperty("Message").GetString(),
            StringComparison.Ordinal
        );
        Assert.Equal(10, letter.GetProperty("Error").GetProperty("Line").GetInt32());
        Assert.Equal(5, letter.GetProperty("Document").GetProperty("N").GetInt32());
        Assert.Equal(
            $"deadletters/t/{letter.GetProperty("Position").GetInt64()}",
            letter.GetProperty("@metadata").GetProperty("@id").GetString()
        );
        Assert.Equal(3, host.GetStatus()[0].DeadLetters);
    }

    [Fact]
    public async Task Messages_that_the_target_never_takes_become_dead_letters()
    {
        await using var f = new RunnerFixture(new FakeBroker { MaxBody = 20 });
        f.Broker.Refuse = m => m.Body.Span.SequenceEqual("2"u8) ? "I do not like twos" : null;
        await f.PutManyAsync(0, 4);
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "send(\"out\", doc.N);\nif (doc.N == 1) send(\"out\", new string('x', 50));")
        );
        Assert.Equal(["0", "1", "3"], f.Broker.Bodies());
        var letters = f.DeadLetters();
        Assert.Equal(2, letters.Count);
        var large = letters.Single(l => l.GetProperty("DocumentId").GetString() == "things/1");
        Assert.Equal("over 20 bytes", large.GetProperty("Error").GetProperty("Message").GetString());
        Assert.Equal(0, large.GetProperty("Attempts").GetInt32());
        Assert.Equal(52, large.GetProperty("Message").GetProperty("BodyBytes").GetInt32());
        Assert.EndsWith("/1", large.GetProperty("@metadata").GetProperty("@id").GetString(), StringComparison.Ordinal);
        var refused = letters.Single(l => l.GetProperty("DocumentId").GetString() == "things/2");
        Assert.Equal("I do not like twos", refused.GetProperty("Error").GetProperty("Message").GetString());
        Assert.Equal(1, refused.GetProperty("Attempts").GetInt32());
        Assert.Equal(2, refused.GetProperty("Document").GetProperty("N").GetInt32());
    }

    [Fact]
    public async Task Dead_letters_are_there_before_anything_of_their_batch_is_sent()
    {
        await using var f = new RunnerFixture();
        var lettersAtSend = -1;
        f.Broker.BeforeArrival = (_, _) => lettersAtSend = f.DeadLetters().Count;
        await f.PutManyAsync(0, 3);
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "if (doc.N == 2) throw new Exception(\"x\");\nsend(\"out\", doc.N);")
        );
        Assert.Equal(1, lettersAtSend);
    }

    [Fact]
    public async Task Deletes_reach_only_the_tasks_that_ask_for_them()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 2);
        await f.Database.DeleteAsync("things/0");
        string with = RunnerFixture.Task("with", "send(\"out\", id);", more: "deletes: true"),
            without = RunnerFixture.Task("without", "send(\"out\", id);");
        await f.RunToEndAsync(with, without);
        Assert.Equal(["\"things/1\"", "\"things/0\""], f.Broker.Bodies("with"));
        Assert.Equal(["\"things/1\""], f.Broker.Bodies("without"));
        Assert.Equal("pipeline.document.delete", f.Broker.Arrived.Last(a => a.Task == "with").Message.Type);
    }

    [Fact]
    public async Task A_deletion_is_an_event_or_a_tombstone_or_nothing()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 2);
        await f.Database.DeleteAsync("things/0");
        const string script = "send(\"out\", new { Id = id, isDeleted }); send(\"out\", 1, key: \"own\");";
        await f.RunToEndAsync([
            .. new[] { "nothing", "event", "tombstone" }.Select(p =>
                RunnerFixture.Task(p, script, more: $"onDelete: {p}")
            ),
        ]);
        Assert.Equal(2, f.Broker.Bodies("nothing").Length);
        Assert.Equal(["""{"Id":"things/0","isDeleted":true}""", "1"], f.Broker.Bodies("event")[2..]);
        Assert.Equal(["""{"Id":"things/1","isDeleted":false}""", "1", "", ""], f.Broker.Bodies("tombstone"));
        Assert.Equal(
            [null, "own", "things/0", "own"],
            f.Broker.Arrived.Where(a => a.Task == "tombstone").Select(a => a.Message.Key)
        );
    }

    [Fact]
    public async Task An_error_in_a_shared_function_has_its_place_in_the_file()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 1);
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "send(\"out\", Fail(doc.N));"),
            """
            helpers:
              mine: |
                static int Fail(int n)
                {
                  throw new InvalidOperationException("no");
                }

            """
        );
        var error = Assert.Single(f.DeadLetters()).GetProperty("Error");
        Assert.Equal(
            ("no", 14, 7),
            (
                error.GetProperty("Message").GetString(),
                error.GetProperty("Line").GetInt32(),
                error.GetProperty("Column").GetInt32()
            )
        );
    }

    [Fact]
    public async Task A_tombstone_that_the_target_refuses_is_a_dead_letter_without_a_body()
    {
        await using var f = new RunnerFixture();
        f.Broker.Refuse = m => m.Body.IsEmpty ? "no tombstones here" : null;
        await f.PutManyAsync(0, 1);
        await f.Database.DeleteAsync("things/0");
        await f.RunToEndAsync(RunnerFixture.Task("t", "send(\"out\", 1);", more: "onDelete: tombstone"));
        Assert.Equal(
            JsonValueKind.Null,
            Assert.Single(f.DeadLetters()).GetProperty("Message").GetProperty("Body").ValueKind
        );
    }

    [Fact]
    public async Task A_task_of_all_documents_leaves_out_dead_letters_and_the_databases_own()
    {
        await using var f = new RunnerFixture();
        await f.PutAsync("a/1", 1, "As");
        await f.PutAsync("b/1", 2, "Bs");
        await f.PutAsync("hilo/1", 3, "@hilo");
        await f.PutAsync("deadletters/x/1", 4, "DeadLetters");
        await f.Database.PutAsync("none/1", "{\"N\":5}"u8.ToArray());
        await f.RunToEndAsync(RunnerFixture.Task("t", "send(\"out\", doc.N);", "[\"@all_docs\"]"));
        Assert.Equal(["1", "2", "5"], f.Broker.Bodies());
    }

    [Fact]
    public async Task The_position_passes_what_does_not_match_and_is_stored_at_the_stop()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 50, "Others");
        await f.RunToEndAsync(RunnerFixture.Task("t"));
        Assert.Empty(f.Broker.Arrived);
        Assert.Equal(f.Database.LastPosition, f.DurablePosition("t"));
    }

    [Fact]
    public async Task Batches_grow_with_the_backlog_to_their_limit()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 1000);
        await f.RunToEndAsync(RunnerFixture.Task("t", more: "batch: { minDocuments: 10, maxDocuments: 200 }"));
        Assert.Equal([10, 40, 160, 200, 200, 200], f.Broker.Batches.Take(6).Select(b => b.Count));
        Assert.All(f.Broker.Batches, b => Assert.True(b.Count <= 200));
        Assert.Equal(1000, f.Broker.Arrived.Count);
    }

    [Fact]
    public async Task Changes_that_come_while_a_batch_is_on_its_way_go_together()
    {
        await using var f = new RunnerFixture();
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        f.Broker.Gate = async (_, ct) =>
        {
            first.TrySetResult();
            await release.Task.WaitAsync(ct);
        };
        await using var host = f.Start(RunnerFixture.Task("t"));
        await f.PutAsync("things/0", 0);
        await first.Task.WaitAsync(RunnerFixture.Timeout);
        for (var n = 1; n < 51; n++)
            await f.PutAsync($"things/{n}", n);
        release.SetResult();
        Assert.True(await f.DrainAsync(host));
        Assert.Equal([1, 50], f.Broker.Batches.Select(b => b.Count));
    }

    [Fact]
    public async Task A_batch_is_closed_by_its_bytes()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 40);
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "send(\"out\", new string('x', 1000));", more: "batch: { maxBytes: 4KiB }")
        );
        Assert.Equal(40, f.Broker.Arrived.Count);
        Assert.All(f.Broker.Batches, b => Assert.InRange(b.Count, 1, 5));
    }

    [Fact]
    public async Task No_more_than_three_batches_are_in_memory()
    {
        await using var f = new RunnerFixture();
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        f.Broker.Gate = async (_, ct) =>
        {
            started.TrySetResult();
            await System.Threading.Tasks.Task.Delay(Timeout.Infinite, ct);
        };
        await f.PutManyAsync(0, 1000);
        var counting = new CountingFeed(f.Feed);
        f.Feed = counting;
        var host = f.Start(RunnerFixture.Task("t", more: "batch: { minDocuments: 10, maxDocuments: 10 }"));
        await started.Task.WaitAsync(RunnerFixture.Timeout);
        Assert.Equal(0, host.GetStatus()[0].DocumentsRead);
        Assert.Equal(EtlTaskState.Running, host.GetStatus()[0].State);
        await host.DisposeAsync();
        Assert.Equal(EtlTaskState.Stopped, host.GetStatus()[0].State);
        Assert.Equal(0, f.DurablePosition("t"));
        Assert.InRange(counting.Read, 10, 30);
    }

    [Fact]
    public async Task No_more_than_three_batches_wait_in_memory_however_large_the_documents()
    {
        await using var f = new RunnerFixture();
        await f.Database.WriteAsync(t =>
        {
            for (var n = 0; n < 200; n++)
            {
                t.Put(
                    $"things/{n}",
                    Encoding.UTF8.GetBytes(
                        $$"""{"N":"{{new string('x', 40_000)}}","@metadata":{"@collection":"Things"} }"""
                    )
                );
            }
        });
        int most = 0,
            arrived = 0;
        f.Broker.AfterArrival = (_, batch) => Interlocked.Add(ref arrived, batch.Messages.Count);
        var ahead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        f.Broker.Gate = (_, ct) => ahead.Task.WaitAsync(ct);
        f.Feed = new CountingFeed(f.Feed)
        {
            OnRead = read =>
            {
                most = Math.Max(most, read - Volatile.Read(ref arrived));
                if (most > 3)
                    ahead.TrySetResult();
            },
        };
        await using var host = f.Start(RunnerFixture.Task("t", more: "batch: { maxBytes: 200KiB, minDocuments: 10 }"));
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(200, arrived);
        Assert.InRange(most, 4, 18);
    }

    /// <summary>Counts the changes that were read.</summary>
    private sealed class CountingFeed(IChangeFeed inner) : IChangeFeed
    {
        private int _read;

        public int Read => Volatile.Read(ref _read);

        /// <summary>Told how many were read in all, by the reader itself.</summary>
        public Action<int>? OnRead { get; init; }

        public string DatabaseName => inner.DatabaseName;

        public string DatabaseId => inner.DatabaseId;

        public long LastPosition => inner.LastPosition;

        public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
            inner.WaitForChangeAsync(after, cancellationToken);

        public IFeedSnapshot OpenSnapshot() => new Snapshot(this, inner.OpenSnapshot());

        public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken) =>
            inner.CommitAsync(commit, cancellationToken);

        private sealed class Snapshot(CountingFeed owner, IFeedSnapshot inner) : IFeedSnapshot
        {
            public long LastPosition => inner.LastPosition;

            public long ReadChanges(
                long after,
                CursorFilter filter,
                int maxChanges,
                long maxBytes,
                List<FeedChange> changes
            )
            {
                var position = inner.ReadChanges(after, filter, maxChanges, maxBytes, changes);
                var read = Interlocked.Add(ref owner._read, changes.Count);
                owner.OnRead?.Invoke(read);
                return position;
            }

            public bool TryWriteJson(long position, IBufferWriter<byte> output) => inner.TryWriteJson(position, output);

            public byte[]? GetState(string key) => inner.GetState(key);

            public bool TryLoad(string id, out ScriptDocument document) => inner.TryLoad(id, out document);

            public void Dispose() => inner.Dispose();
        }
    }
}
