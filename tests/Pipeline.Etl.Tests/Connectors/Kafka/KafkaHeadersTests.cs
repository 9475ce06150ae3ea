using System.Globalization;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Kafka;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors.Kafka;

/// <summary>The cost of a record before it reaches the client library.</summary>
public sealed class KafkaHeadersTests
{
    [Theory]
    [InlineData(CloudEventAttributes.All, "ce_id ce_source ce_type ce_specversion ce_subject ce_time content-type")]
    [InlineData(CloudEventAttributes.Required, "ce_id ce_source ce_type ce_specversion")]
    [InlineData(CloudEventAttributes.None, "")]
    public void A_message_bears_the_attributes_that_are_chosen_and_always_the_trace_and_own_headers(
        CloudEventAttributes attributes,
        string expected
    )
    {
        var headers = new KafkaHeaders(attributes);
        headers.Set(Message(1));
        Assert.Equal(expected, string.Join(' ', headers.Names));
        var plain = headers.ExactBytes(Message(1));
        Assert.Equal(attributes == CloudEventAttributes.None, plain == 0);
        var more = Message(
            2,
            "00-x",
            new DestinationConfiguration { Headers = new Dictionary<string, string> { ["tenant"] = "blue" } }
        );
        headers.Set(more);
        Assert.Equal((expected + " traceparent tenant").Trim(), string.Join(' ', headers.Names));
        Assert.InRange(headers.ExactBytes(more), plain + 1, headers.MaxBytes(more));
        headers.Set(Message(3));
        Assert.Equal(expected, string.Join(' ', headers.Names));
    }

    [Theory]
    [InlineData(CloudEventAttributes.All)]
    [InlineData(CloudEventAttributes.None)]
    public void Headers_keys_and_bodies_allocate_nothing(CloudEventAttributes attributes)
    {
        var headers = new KafkaHeaders(attributes);
        var keys = new KafkaKeys();
        var bodies = new ExactBytes();
        OutgoingMessage[] messages = [.. Enumerable.Range(0, 1_000).Select(i => Message(1_000 + i))];
        long bytes = 0;
        Pass();
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 10; i++)
            Pass();
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(bytes > 0);

        void Pass()
        {
            foreach (var message in messages)
            {
                headers.Set(message);
                bytes +=
                    keys.Encode(message.Key)!.Length
                    + bodies.Copy(message.Body.Span).Length
                    + headers.MaxBytes(message);
            }
        }
    }

    private static OutgoingMessage Message(int n, string? trace = null, DestinationConfiguration? options = null) =>
        new()
        {
            Destination = "out",
            Id = string.Create(CultureInfo.InvariantCulture, $"Hv6hAWyaGneT0jl2X9XNbA/forward/{n}/0"),
            Source = "/databases/bench/etl/forward",
            Type = "pipeline.document.put",
            Subject = $"things/{n}",
            Time = DateTimeOffset.UnixEpoch,
            Key = $"things/{n}",
            Body = new byte[200 + (n % 7)],
            Position = n,
            TraceParent = trace,
            Options = options,
        };
}
