using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>
/// The parts of a message other than its body: options of its destination, and the trace of the write.
/// </summary>
public sealed class DestinationTests
{
    [Theory]
    [InlineData(
        "kafka: { bootstrapServers: \"a:1\" }",
        "{ ttl: 5s }",
        "'c' (kafka) does not support 'ttl', which destination 'out' sets; it can do: partition, headers"
    )]
    [InlineData(
        "rabbitmq: { uri: \"amqp://a\" }",
        "{ delay: 5s }",
        "'c' (rabbitmq) does not support 'delay', which destination 'out' sets; it can do: headers, ttl, dedup"
    )]
    [InlineData("rabbitmq: { uri: \"amqp://a\" }", "{ partition: 1 }", "does not support 'partition'")]
    [InlineData(
        "azureQueues: { connectionString: UseDevelopmentStorage=true }",
        "{ dedup: id }",
        "does not support 'dedup'"
    )]
    [InlineData(
        "azureQueues: { connectionString: UseDevelopmentStorage=true }",
        "{ delay: 8d }",
        "destination 'out': must be at most 7d"
    )]
    [InlineData(
        "files: { directory: out }",
        "{ headers: { X-Tenant: a } }",
        "'X-Tenant' cannot be an attribute of a CloudEvent"
    )]
    [InlineData("files: { directory: out }", "{ ttl: 1h }", "does not support 'ttl'")]
    public void What_a_connector_cannot_do_is_refused_by_name(string connection, string options, string expected)
    {
        var yaml = $$"""
            version: 1
            database: { name: a, path: . }
            connections: { c: { {{connection}} } }
            etl:
              - { name: t, from: [A], to: c, transform: 'send("out", 1);', destinations: { out: {{options}} } }

            """;
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f.yaml", FixedVariables.None)
        );
        var fault = Assert.Single(e.Diagnostics);
        Assert.Contains(expected, fault.ToString(), StringComparison.Ordinal);
        Assert.Equal(5, fault.Line);
    }

    [Theory]
    [InlineData("kafka: { bootstrapServers: \"a:1\" }", "{ partition: 2, headers: { tenant: a } }")]
    [InlineData(
        "rabbitmq: { uri: \"amqp://a\", exchange: x }",
        "{ delay: 5s, ttl: 1m, dedup: key, headers: { X-Tenant: a } }"
    )]
    [InlineData(
        "azureQueues: { connectionString: UseDevelopmentStorage=true }",
        "{ ttl: 1h, delay: 5s, headers: { tenant: a } }"
    )]
    public void What_a_connector_can_do_is_taken(string connection, string options)
    {
        var yaml = $$"""
            version: 1
            database: { name: a, path: . }
            connections: { c: { {{connection}} } }
            etl:
              - { name: t, from: [A], to: c, transform: 'send("out", 1);', destinations: { out: {{options}} } }

            """;
        Assert.Single(PipelineConfiguration.Parse(yaml, "f.yaml", FixedVariables.None).Etl[0].Destinations);
    }

    [Fact]
    public void Documents_that_go_when_they_are_sent_are_not_told_of_as_deleted()
    {
        var yaml = """
            version: 1
            database: { name: a, path: . }
            connections: { c: { files: } }
            etl:
              - { name: t, from: [A], to: c, transform: 'send("out", 1);', onDelete: event, deleteAfterSend: true }

            """;
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f.yaml", FixedVariables.None)
        );
        Assert.Contains(
            "deleteAfterSend and onDelete cannot be combined",
            Assert.Single(e.Diagnostics).Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_outbox_is_emptied_of_what_was_sent_and_of_nothing_else(bool remembers)
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = remembers });
        f.Broker.Refuse = m => m.Body.Span.SequenceEqual("3"u8) ? "no threes" : null;
        await f.PutManyAsync(0, 8);
        var changed = false;
        f.Broker.Gate = async (_, _) =>
        {
            if (changed)
                return;
            changed = true;
            await f.PutAsync("things/5", 50);
        };
        await using var host = f.Start(
            RunnerFixture.Task(
                "t",
                "if (doc.N == 2) throw new Exception(\"x\");\nif (doc.N != 1) send(\"out\", doc.N);",
                more: "deleteAfterSend: true"
            )
        );
        using var late = new CancellationTokenSource(RunnerFixture.Timeout);
        while (!f.Broker.Bodies().Contains("50") || Left(f).Length > 3)
            await Task.Delay(5, late.Token);
        Assert.Equal(["things/1", "things/2", "things/3"], Left(f));
        Assert.Equal(["0", "4", "5", "6", "7", "50"], f.Broker.Bodies());
        Assert.Equal(2, f.DeadLetters().Count);
    }

    [Fact]
    public async Task The_trace_of_the_write_goes_through_the_transform_to_the_message()
    {
        await using var f = new RunnerFixture();
        const string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        await f.Database.PutAsync(
            "things/1",
            Encoding.UTF8.GetBytes($$"""{"N":1,"@metadata":{"@collection":"Things","traceparent":"{{trace}}"} }""")
        );
        await f.Database.PutAsync(
            "things/2",
            """{"N":2,"@metadata":{"@collection":"Things","traceparent":"nonsense"} }"""u8.ToArray()
        );
        await f.RunToEndAsync(RunnerFixture.Task("plain", "send(\"out\", 1);"));
        Assert.Equal([trace, null], f.Broker.Arrived.Select(a => a.Message.TraceParent));

        var spans = new List<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = s => s.Name == EtlHost.TelemetryName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = a =>
            {
                if (a.OperationName == "etl message" && (string?)a.GetTagItem("pipeline.etl.task") == "traced")
                    spans.Add(a);
            },
        };
        ActivitySource.AddActivityListener(listener);
        await f.RunToEndAsync(RunnerFixture.Task("traced", "send(\"out\", 1);"));
        var span = Assert.Single(spans);
        Assert.Equal(trace[..35], "00-" + span.TraceId);
        Assert.Equal("b7ad6b7169203331", span.ParentSpanId.ToString());
        Assert.Equal(span.Id, f.Broker.Arrived.First(a => a.Task == "traced").Message.TraceParent);
    }

    [Fact]
    public async Task The_trace_that_a_write_runs_in_reaches_the_message()
    {
        await using var f = new RunnerFixture(keepTraces: true);
        string id;
        using (var write = new Activity("write").SetIdFormat(ActivityIdFormat.W3C).Start())
        {
            id = write.Id!;
            await f.PutAsync("things/1", 1);
        }

        await f.PutAsync("things/2", 2);
        await f.RunToEndAsync(RunnerFixture.Task("kept", "send(\"out\", 1);"));
        Assert.Equal([id, null], f.Broker.Arrived.Select(a => a.Message.TraceParent));
    }

    [Fact]
    public async Task An_attachment_of_the_document_is_loaded_and_one_that_is_too_large_is_an_error()
    {
        await using var f = new RunnerFixture();
        await f.PutAsync("things/1", 1);
        await f.Database.Attachments.PutAsync(
            "things/1",
            "note.txt",
            new MemoryStream("Ærø"u8.ToArray()),
            "text/plain"
        );
        await f.Database.Attachments.PutAsync("things/1", "big", new MemoryStream(new byte[5000]), "image/png");
        await f.RunToEndAsync(
            RunnerFixture.Task(
                "t",
                "var a = loadAttachment(\"note.txt\");\nsend(\"out\", new { a.Text, a.Size, a.Base64, None = loadAttachment(\"none\") == null });"
            ),
            RunnerFixture.Task(
                "big",
                "send(\"out\", loadAttachment(\"big\").Size);",
                more: "limits: { bodyBytes: 4KiB }"
            )
        );
        Assert.Equal(["""{"Text":"Ærø","Size":5,"Base64":"w4Zyw7g=","None":true}"""], f.Broker.Bodies());
        Assert.Contains(
            "limits.bodyBytes",
            Assert.Single(f.DeadLetters()).GetProperty("Error").GetProperty("Message").GetString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void A_cloud_event_carries_trace_headers_and_where_its_body_is()
    {
        var message = new OutgoingMessage
        {
            Destination = "q",
            Id = "1",
            Source = "/s",
            Type = "t",
            Subject = "a/1",
            Time = DateTimeOffset.UnixEpoch,
            Body = "{\"N\":1}"u8.ToArray(),
            Position = 1,
            TraceParent = "00-x",
            Options = new DestinationConfiguration { Headers = new Dictionary<string, string> { ["tenant"] = "blue" } },
        };
        using var writer = new CloudEventJson();
        var buffer = new ArrayBufferWriter<byte>();
        writer.Write(message, buffer);
        var whole = JsonDocument.Parse(buffer.WrittenMemory).RootElement;
        Assert.Equal(
            ("00-x", "blue", 1),
            (
                whole.GetProperty("traceparent").GetString(),
                whole.GetProperty("tenant").GetString(),
                whole.GetProperty("data").GetProperty("N").GetInt32()
            )
        );
        buffer.Clear();
        writer.WriteClaim(message, "http://blobs/a", buffer);
        var claim = JsonDocument.Parse(buffer.WrittenMemory).RootElement;
        Assert.Equal("http://blobs/a", claim.GetProperty("dataref").GetString());
        Assert.False(claim.TryGetProperty("data", out _));
    }

    private static string[] Left(RunnerFixture f)
    {
        using var snapshot = f.Database.OpenSnapshot();
        return [.. snapshot.GetByCollection("Things").Select(d => d.Id).Order(StringComparer.Ordinal)];
    }
}
