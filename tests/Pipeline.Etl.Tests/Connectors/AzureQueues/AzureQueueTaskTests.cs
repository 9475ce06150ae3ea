using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors.AzureQueues;

/// <summary>The messages that reach a task's queues, and the policies for messages that are too large.</summary>
public sealed class AzureQueueTaskTests
{
    private const string TwoIsLarge = "send(\"out\", doc.N == 2 ? new string('x', 70000) : \"\" + doc.N);";

    [Fact]
    public async Task Fail_with_a_budget_parks_the_message_that_is_too_large_and_blames_no_other()
    {
        var storage = new FakeStorage();
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 3);
        await using var host = Start(
            f,
            storage,
            "oversize: fail",
            RunnerFixture.Task("t", TwoIsLarge, more: "onError: park\n    retry: { attempts: { permanent: 2 } }")
        );
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(["1", "3"], Texts(storage));
        var letter = Assert.Single(f.DeadLetters());
        Assert.Equal(
            ("oversize", 2, "things/2"),
            (
                letter.GetProperty("Class").GetString(),
                letter.GetProperty("Attempts").GetInt32(),
                letter.GetProperty("DocumentId").GetString()
            )
        );
        Assert.Contains(
            "says oversize: fail",
            letter.GetProperty("Error").GetProperty("Message").GetString(),
            StringComparison.Ordinal
        );
        Assert.Equal(1, host.GetStatus()[0].Errors[Pipeline.Etl.DeadLetters.FailureClass.Oversize]);
    }

    [Fact]
    public async Task Fail_stands_before_the_message_until_its_document_is_mended()
    {
        var storage = new FakeStorage();
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 3);
        await using var host = Start(f, storage, "oversize: fail", RunnerFixture.Task("t", TwoIsLarge));
        for (var i = 0; i < 2; i++)
        {
            var wait = await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
            Assert.Equal(["1"], Texts(storage));
            var status = host.GetStatus()[0];
            Assert.Equal(EtlTaskState.Failed, status.State);
            Assert.StartsWith(
                "stopped before 'things/2': the message has",
                status.LastError!.Message,
                StringComparison.Ordinal
            );
            if (i == 1)
                await f.PutAsync("things/2", 20);
            f.Time.Advance(wait);
        }

        Assert.True(await f.DrainAsync(host));
        Assert.Equal(["1", "20", "3"], Texts(storage).Order());
        Assert.Empty(f.DeadLetters());
    }

    [Theory]
    [InlineData("park")]
    [InlineData("skip")]
    public async Task Several_that_are_too_large_go_one_by_one_between_faults_of_other_kinds(string policy)
    {
        var storage = new FakeStorage();
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 8);
        const string transform =
            "if (doc.N == 1 || doc.N == 5 || doc.N == 8) throw new Exception(\"no\");\nsend(\"out\", doc.N % 3 == 0 ? new string('x', 70000) : \"\" + doc.N);";
        await using var host = Start(
            f,
            storage,
            "oversize: fail",
            RunnerFixture.Task(
                "t",
                transform,
                more: $"onError: {policy}\n    retry: {{ attempts: {{ permanent: 2 }} }}"
            )
        );
        await f.DrainOverWaitsAsync(host);
        Assert.Equal(["2", "4", "7"], Texts(storage));
        Assert.Equal(
            policy == "park" ? ["oversize", "oversize", "script", "script", "script"] : [],
            f.DeadLetters().Select(l => l.GetProperty("Class").GetString()!).Order()
        );
    }

    [Fact]
    public async Task With_on_error_stop_fail_stops_in_the_same_way()
    {
        var storage = new FakeStorage();
        await using var f = new RunnerFixture();
        await f.PutManyAsync(1, 3);
        await using var host = Start(
            f,
            storage,
            "oversize: fail",
            RunnerFixture.Task("t", TwoIsLarge, more: "onError: stop\n    retry: { attempts: { permanent: 1 } }")
        );
        await f.Time.NextTimerAsync().AsTask().WaitAsync(RunnerFixture.Timeout);
        Assert.Equal(["1"], Texts(storage));
        Assert.Contains("(onError: stop)", host.GetStatus()[0].LastError!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Times_of_a_destination_are_in_the_request_and_those_of_the_connection_where_it_has_none()
    {
        var storage = new FakeStorage();
        await using var f = new RunnerFixture();
        await f.PutAsync("things/1", 1);
        await using var host = Start(
            f,
            storage,
            "timeToLive: 2h, visibilityDelay: 3s",
            RunnerFixture.Task(
                "t",
                "send(\"timed\", 1);\nsend(\"plain\", 2);",
                more: "destinations: { timed: { ttl: 1h, delay: 5s } }"
            )
        );
        Assert.True(await f.DrainAsync(host));
        Assert.Contains(
            "POST http://queues.example/shop/timed/messages?visibilitytimeout=5&messagettl=3600",
            storage.Lines
        );
        Assert.Contains(
            "POST http://queues.example/shop/plain/messages?visibilitytimeout=3&messagettl=7200",
            storage.Lines
        );
    }

    [Theory]
    [InlineData(AzureQueueOversize.Park)]
    [InlineData(AzureQueueOversize.Fail)]
    public async Task The_sink_sends_the_others_once_and_gives_back_the_one_that_is_too_large(
        AzureQueueOversize oversize
    )
    {
        var storage = new FakeStorage();
        await using var sink = Sink(storage, oversize);
        await sink.ConnectAsync(default);
        OutgoingMessage[] messages = [Make(1), Make(2, body: new string('x', 70_000)), Make(3)];
        var failure = Assert.Single(await sink.SendAsync(new MessageBatch(messages, 3), default));
        Assert.Same(messages[1], failure.Message);
        Assert.True(failure.IsOversize);
        Assert.Equal(oversize == AzureQueueOversize.Fail, sink.FailsAtOversize);
        Assert.Equal(["1", "3"], Texts(storage).Order());
    }

    [Theory]
    [InlineData(AzureQueueEncoding.Base64)]
    [InlineData(AzureQueueEncoding.None)]
    public async Task What_is_too_large_without_its_body_is_refused_before_a_blob_is_stored(AzureQueueEncoding encoding)
    {
        var storage = new FakeStorage();
        await using var sink = Sink(storage, AzureQueueOversize.ClaimCheck, encoding);
        await sink.ConnectAsync(default);
        var message = Make(1, key: new string('k', 70_000));
        Assert.Contains("without its body", sink.FindFault(message), StringComparison.Ordinal);
        Assert.True(sink.IsOversize(message));
        var failure = Assert.Single(await sink.SendAsync(new MessageBatch([message], 1), default));
        Assert.True(failure.IsOversize);
        Assert.DoesNotContain(storage.Lines, l => l.Contains("blobs.example", StringComparison.Ordinal));
        Assert.DoesNotContain(storage.Lines, l => l.StartsWith("POST", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_large_body_goes_into_a_blob_that_the_message_names()
    {
        var storage = new FakeStorage();
        await using var sink = Sink(storage, AzureQueueOversize.ClaimCheck);
        await sink.ConnectAsync(default);
        OutgoingMessage[] messages = [Make(1), Make(2, body: new string('x', 70_000))];
        Assert.All(messages, m => Assert.Null(sink.FindFault(m)));
        Assert.Empty(await sink.SendAsync(new MessageBatch(messages, 2), default));
        var blob = Assert.Single(storage.Requests, r => r.Line.Contains("blobs.example", StringComparison.Ordinal));
        Assert.Equal(70_002, blob.Body.Length);
        var claim = storage.Messages().Single(m => m.TryGetProperty("dataref", out _));
        Assert.Equal(blob.Line, "PUT " + claim.GetProperty("dataref").GetString());
    }

    [Fact]
    public async Task Headers_count_as_the_rest_of_a_message_does()
    {
        var storage = new FakeStorage();
        await using var sink = Sink(storage, AzureQueueOversize.Park);
        var message = Make(1, header: new string('h', 60_000));
        Assert.Contains("Azure Queue Storage takes 65536", sink.FindFault(message), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("orders", true)]
    [InlineData("big-orders-2", true)]
    [InlineData("ab", false)]
    [InlineData("Orders", false)]
    [InlineData("-orders", false)]
    [InlineData("orders-", false)]
    [InlineData("big--orders", false)]
    [InlineData("ordrer_æ", false)]
    public void Queue_names_follow_the_services_rules(string name, bool good) =>
        Assert.Equal(good, AzureQueuesSink.FindNameFault(name) is null);

    private static EtlHost Start(RunnerFixture f, FakeStorage storage, string options, string task)
    {
        var host = f.NewHost(
            storage.Catalog,
            $"azureQueues: {{ connectionString: \"{FakeStorage.Account}\", maxParallel: 4, {options} }}",
            [task]
        );
        host.Start();
        return host;
    }

    private static IMessageSink Sink(
        FakeStorage storage,
        AzureQueueOversize oversize,
        AzureQueueEncoding encoding = AzureQueueEncoding.Base64
    )
    {
        var options = new AzureQueuesOptions
        {
            ConnectionString = FakeStorage.Account,
            Oversize = oversize,
            Encoding = encoding,
        };
        return storage
            .Connector(options, new ConnectorContext("c", ".", TimeProvider.System, NullLoggerFactory.Instance))
            .CreateSink(new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance));
    }

    private static OutgoingMessage Make(int n, string? body = null, string? key = null, string? header = null) =>
        new()
        {
            Destination = "out",
            Id = $"db/t/{n}/0",
            Source = "/s",
            Type = "t",
            Subject = $"things/{n}",
            Time = DateTimeOffset.UnixEpoch,
            Key = key,
            Position = n,
            Body = Encoding.UTF8.GetBytes($"\"{body ?? n.ToString()}\""),
            Options = header is null
                ? null
                : new Pipeline.Etl.Configuration.DestinationConfiguration
                {
                    Headers = new Dictionary<string, string> { ["tenant"] = header },
                },
        };

    private static string[] Texts(FakeStorage storage) =>
        [.. storage.Messages().Select(m => m.GetProperty("data").GetString()!)];
}
