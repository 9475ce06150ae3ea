using System.Buffers;
using System.Text;
using Pipeline.Etl.Runner;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>
/// A transform gives the same output in the same order, whether it runs on several documents at once or on one after
/// another.
/// </summary>
public sealed class ParallelTransformTests
{
    // Filters, sends one or two messages, loads, fails, and goes over a limit.
    private const string Varied = """
        if (doc.N % 7 == 0) return;
        if (doc.N % 11 == 0) throw new InvalidOperationException($"no {doc.N}");
        if (doc.N % 97 == 0) while (true) { }
        var other = load($"things/{(int)doc.N / 3}");
        send("out", new { Id = id, doc.N, Other = other?.N }, key: $"k{(int)doc.N % 13}");
        if (doc.N % 5 == 0) send("more", new { Second = doc.N }, key: id);
        """;

    [Theory]
    [InlineData("park", 4)]
    [InlineData("park", 2)]
    [InlineData("skip", 4)]
    [InlineData("park-key", 4)]
    public async Task Messages_and_dead_letters_are_those_of_one_run_after_another(string onError, int parallel)
    {
        (var messages, var letters, var status) = await RunAsync(onError, 1);
        (var atOnce, var lettersAtOnce, var statusAtOnce) = await RunAsync(onError, parallel);
        Assert.True(messages.Length > 2_000, $"{messages.Length} messages");
        Assert.Equal(messages, atOnce);
        Assert.Equal(letters, lettersAtOnce);
        Assert.Equal(
            (status.DocumentsRead, status.DocumentsFiltered, status.MessagesSent, status.DeadLetters),
            (
                statusAtOnce.DocumentsRead,
                statusAtOnce.DocumentsFiltered,
                statusAtOnce.MessagesSent,
                statusAtOnce.DeadLetters
            )
        );
    }

    [Fact]
    public async Task Documents_are_transformed_at_once()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 200);
        using var both = new Barrier(2);
        var loads = 0;
        f.Feed = new LoadingFeed(
            f.Feed,
            () =>
            {
                // The first load waits for one on another thread, which never comes where documents are run one after
                // another.
                if (Interlocked.Increment(ref loads) <= 2)
                    Assert.True(both.SignalAndWait(RunnerFixture.Timeout));
            }
        );
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "load(id); send(\"out\", new { doc.N }, key: id);", more: "parallel: 2")
        );
        Assert.Equal(200, f.Broker.Arrived.Count);
        Assert.Equal(200, loads);
        Assert.Equal(Enumerable.Range(0, 200).Select(n => $$"""{"N":{{n}}}"""), f.Broker.Bodies());
    }

    [Fact]
    public async Task A_batch_ends_at_its_bytes_whatever_was_run_ahead()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 1_000);
        await f.RunToEndAsync(
            RunnerFixture.Task(
                "t",
                "send(\"out\", new { Text = new string('x', 10000), doc.N }, key: id);",
                more: "parallel: 4\n    batch: { maxBytes: 100KiB, minDocuments: 1000 }"
            )
        );
        Assert.Equal(
            Enumerable.Range(0, 1_000).Select(n => $"things/{n}"),
            f.Broker.Arrived.Select(a => a.Message.Subject)
        );
        Assert.All(f.Broker.Batches, b => Assert.InRange(b.Count, 1, 11));
    }

    [Fact]
    public async Task A_task_that_stops_at_a_document_has_sent_all_before_it_and_nothing_behind()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 1_000);
        await using var host = f.Start(
            RunnerFixture.Task(
                "t",
                "if (doc.N == 700) throw new InvalidOperationException(\"no\"); send(\"out\", new { doc.N }, key: id);",
                more: "parallel: 4\n    onError: stop\n    retry: { attempts: { script: 1 } }"
            )
        );
        await f.Time.NextTimerAsync(new CancellationTokenSource(RunnerFixture.Timeout).Token);
        Assert.Equal(EtlTaskState.Failed, host.GetStatus()[0].State);
        Assert.Equal(Enumerable.Range(0, 700).Select(n => $$"""{"N":{{n}}}"""), f.Broker.Bodies());
        Assert.Equal(700, f.DurablePosition("t"));
    }

    private static async Task<(string[] Messages, string[] Letters, EtlTaskStatus Status)> RunAsync(
        string onError,
        int parallel
    )
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 3_000);
        await using var host = f.Start(
            RunnerFixture.Task(
                "t",
                Varied,
                more: $$"""
                onError: {{onError}}
                    parallel: {{parallel}}
                    limits: { steps: 2000 }
                    retry: { attempts: { script: 1 } }
                """
            )
        );
        Assert.True(await f.DrainAsync(host));
        string[] messages =
        [
            .. f.Broker.Arrived.Select(a =>
                $"{a.Message.Destination} {a.Message.Id[a.Message.Id.LastIndexOf("/t/", StringComparison.Ordinal)..]} {a.Message.Key} {a.Message.Position} {a.Body}"
            ),
        ];
        string[] letters =
        [
            .. f.DeadLetters()
                .Select(l => $"{l.GetProperty("DocumentId").GetString()} {l.GetProperty("Error").GetRawText()}")
                .Order(StringComparer.Ordinal),
        ];
        return (messages, letters, host.GetStatus()[0]);
    }

    /// <summary>Tells of each load.</summary>
    private sealed class LoadingFeed(IChangeFeed inner, Action loads) : IChangeFeed
    {
        public string DatabaseName => inner.DatabaseName;

        public string DatabaseId => inner.DatabaseId;

        public long LastPosition => inner.LastPosition;

        public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
            inner.WaitForChangeAsync(after, cancellationToken);

        public IFeedSnapshot OpenSnapshot() => new Snapshot(inner.OpenSnapshot(), loads);

        public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken) =>
            inner.CommitAsync(commit, cancellationToken);

        private sealed class Snapshot(IFeedSnapshot inner, Action loads) : IFeedSnapshot
        {
            public long LastPosition => inner.LastPosition;

            public long ReadChanges(
                long after,
                CursorFilter filter,
                int maxChanges,
                long maxBytes,
                List<FeedChange> changes
            ) => inner.ReadChanges(after, filter, maxChanges, maxBytes, changes);

            public bool TryWriteJson(long position, IBufferWriter<byte> output) => inner.TryWriteJson(position, output);

            public byte[]? GetState(string key) => inner.GetState(key);

            public bool TryLoad(string id, out ScriptDocument document)
            {
                loads();
                return inner.TryLoad(id, out document);
            }

            public void Dispose() => inner.Dispose();
        }
    }
}
