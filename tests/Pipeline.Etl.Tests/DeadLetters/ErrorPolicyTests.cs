using System.Text.Json;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.DeadLetters;

public sealed class ErrorPolicyTests
{
    private const string FailsOnSeven =
        "if (doc.N == 7) throw new Exception(\"no sevens\");\nsend(\"out\", doc.N, key: id);";

    private static ConnectorException Away => new("c", "nobody at c:1", isTransient: true);

    [Fact]
    public async Task Skip_leaves_out_and_counts()
    {
        await using var f = new RunnerFixture(new FakeBroker { MaxBody = 1 });
        await f.PutManyAsync(0, 12);
        await using var host = f.Start(RunnerFixture.Task("t", FailsOnSeven, more: "onError: skip"));
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["0", "1", "2", "3", "4", "5", "6", "8", "9"], f.Broker.Bodies());
        Assert.Empty(f.DeadLetters());
        var status = host.GetStatus()[0];
        Assert.Equal((1, 2), (status.Errors[FailureClass.Script], status.Errors[FailureClass.Oversize]));
        Assert.Equal(0, status.DeadLetters);
    }

    [Fact]
    public async Task Stop_sends_everything_before_the_document_and_goes_on_when_it_is_mended()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(RunnerFixture.Task("t", FailsOnSeven, more: "onError: stop"));
        var wait = await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        Assert.InRange(wait.TotalSeconds, 45, 75);
        Assert.Equal(["0", "1", "2", "3", "4", "5", "6"], f.Broker.Bodies());
        var stopped = host.GetStatus()[0];
        Assert.Equal(EtlTaskState.Failed, stopped.State);
        Assert.Equal("stopped before 'things/7' (onError: stop): no sevens", stopped.LastError!.Message);
        Assert.Equal(7, f.DurablePosition("t"));
        await f.PutAsync("things/7", 70);
        f.Time.Advance(wait);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["8", "9", "70"], f.Broker.Bodies()[7..]);
        Assert.Empty(f.DeadLetters());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stop_before_a_message_that_the_target_refuses_sends_everything_before_it(bool remembers)
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = remembers });
        f.Broker.Refuse = m => m.Body.Span.SequenceEqual("7"u8) ? "no sevens" : null;
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(RunnerFixture.Task("t", "send(\"out\", doc.N);", more: "onError: stop"));
        for (var i = 0; i < 2; i++)
            f.Time.Advance(await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout));
        await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        Assert.Equal(
            ["0", "1", "2", "3", "4", "5", "6"],
            f.Broker.Bodies().Distinct().Where(b => b is not ("8" or "9"))
        );
        Assert.Equal(7, f.DurablePosition("t"));
        Assert.Contains("no sevens", host.GetStatus()[0].LastError!.Message, StringComparison.Ordinal);
        Assert.Empty(f.DeadLetters());
    }

    [Fact]
    public async Task Stop_before_a_message_that_is_too_large_sends_nothing_behind_it()
    {
        await using var f = new RunnerFixture(new FakeBroker { MaxBody = 20 });
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(
            RunnerFixture.Task(
                "t",
                "send(\"out\", doc.N == 4 ? new string('x', 50) : \"\" + doc.N);",
                more: "onError: stop"
            )
        );
        await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        Assert.Equal(["\"0\"", "\"1\"", "\"2\"", "\"3\""], f.Broker.Bodies());
        var stopped = host.GetStatus()[0];
        Assert.Equal((4, 6), (stopped.Position, stopped.Lag));
        Assert.Equal(4, f.DurablePosition("t"));
    }

    [Fact]
    public async Task A_script_is_run_again_as_often_as_its_budget_says()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await using var host = f.Start(
            RunnerFixture.Task("t", FailsOnSeven, more: "retry: { attempts: { script: 3 } }")
        );
        await f.DrainOverWaitsAsync(host);
        var letter = Assert.Single(f.DeadLetters());
        Assert.Equal(
            (3, "script"),
            (letter.GetProperty("Attempts").GetInt32(), letter.GetProperty("Class").GetString())
        );
        Assert.Equal(9, f.Broker.Bodies().Length);
    }

    [Fact]
    public async Task A_target_that_stays_away_longer_than_the_budget_gets_its_batch_parked()
    {
        await using var f = new RunnerFixture();
        f.Broker.BeforeArrival = (_, _) => throw Away;
        await f.PutManyAsync(0, 3);
        await using var host = f.Start(RunnerFixture.Task("t", more: "retry: { attempts: { transient: 3 } }"));
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(
            [("transient", 3), ("transient", 3), ("transient", 3)],
            f.DeadLetters().Select(l => (l.GetProperty("Class").GetString()!, l.GetProperty("Attempts").GetInt32()))
        );
    }

    [Fact]
    public async Task Park_key_holds_a_document_until_its_letter_is_retried_and_order_survives()
    {
        await using var f = new RunnerFixture();
        await f.PutAsync("things/a", 7);
        await f.PutAsync("things/b", 1);
        var task = RunnerFixture.Task("t", FailsOnSeven, more: "onError: park-key");
        await using var host = f.Start(task);
        Assert.True(await f.DrainAsync(host));
        await f.PutAsync("things/a", 8);
        Assert.True(await f.DrainAsync(host));
        await f.PutAsync("things/a", 9);
        await f.PutAsync("things/b", 2);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["1", "2"], f.Broker.Bodies());
        Assert.Equal(
            ["script", "held", "held"],
            f.DeadLetters()
                .OrderBy(l => l.GetProperty("Position").GetInt64())
                .Select(l => l.GetProperty("Class").GetString())
        );

        var desk = new DeadLetterService(f.Database);
        await desk.RetryAsync([(await desk.FindAsync(new DeadLetterSelection { Task = "t" }))[0]]);
        await SettledAsync(f);
        Assert.Empty(f.DeadLetters());
        await f.PutAsync("things/a", 10);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["1", "2", "9", "10"], f.Broker.Bodies());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Park_key_holds_later_messages_of_a_key_from_other_documents(bool remembers)
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = remembers });
        var refuses = true;
        f.Broker.Refuse = m => refuses && m.Body.Span.SequenceEqual("3"u8) ? "no threes" : null;
        await f.PutManyAsync(0, 4);
        var task = RunnerFixture.Task("t", "send(\"out\", doc.N, key: \"k\" + doc.N % 3);", more: "onError: park-key");
        await using var host = f.Start(task);
        Assert.True(await f.DrainAsync(host));
        await f.PutManyAsync(4, 6);
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["0", "1", "2", "4", "5", "7", "8"], f.Broker.Bodies());
        Assert.Equal(
            ["permanent", "held", "held"],
            f.DeadLetters()
                .OrderBy(l => l.GetProperty("Position").GetInt64())
                .Select(l => l.GetProperty("Class").GetString())
        );

        // What holds outlives the process.
        await host.StopAsync();
        await f.PutAsync("things/12", 12);
        refuses = false;
        await using var second = f.Start(task);
        Assert.True(await f.DrainAsync(second));
        Assert.DoesNotContain("12", f.Broker.Bodies());
        var desk = new DeadLetterService(f.Database);
        var first = (await desk.FindAsync(new DeadLetterSelection { All = true }))[0];
        await desk.DropAsync([first]);
        await SettledAsync(f);
        Assert.Equal(["6", "9", "12"], f.Broker.Bodies()[7..]);
    }

    [Fact]
    public async Task In_a_batch_that_commits_as_a_whole_later_messages_of_a_refused_key_are_held_too()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        f.Broker.Refuse = m => m.Body.Span.SequenceEqual("1"u8) ? "no ones" : null;
        await f.PutManyAsync(0, 6);
        await f.RunToEndAsync(
            RunnerFixture.Task("t", "send(\"out\", doc.N, key: \"k\" + doc.N % 2);", more: "onError: park-key")
        );
        Assert.Equal(["0", "2", "4"], f.Broker.Bodies());
        Assert.Equal(
            ["permanent", "held", "held"],
            f.DeadLetters()
                .OrderBy(l => l.GetProperty("Position").GetInt64())
                .Select(l => l.GetProperty("Class").GetString())
        );
    }

    /// <summary>Waits until no letter is marked or held.</summary>
    internal static async Task SettledAsync(RunnerFixture f)
    {
        using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
        while (true)
        {
            var position = f.Database.LastPosition;
            if (
                f.DeadLetters()
                    .All(l => l.GetProperty("Class").GetString() != "held" && !l.TryGetProperty("Retry", out _))
            )
            {
                return;
            }

            await f.Database.WaitForChangeAsync(position, timeout.Token);
        }
    }
}
