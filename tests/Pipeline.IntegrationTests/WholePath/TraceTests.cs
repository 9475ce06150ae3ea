using System.Collections.Concurrent;
using System.Diagnostics;
using Pipeline.IntegrationTests.Independent;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>
/// One trace from the write, through the transform, to the headers that the consumer of a real broker reads.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class TraceTests(Services services)
{
    private const string Header = "not CloudEvents: traceparent";

    [SkippableFact]
    public async Task A_message_carries_on_the_trace_that_its_document_was_written_in()
    {
        var (kcat, python) = (KafkaReader.Require(), RabbitMqReader.Require());
        var (kafka, rabbit) = (await services.Kafka.UseAsync(), await services.RabbitMq.UseAsync());
        var name = Sinks.NewName("trace");
        await using var shop = new Shop(keepTraces: true);
        var spans = new ConcurrentDictionary<string, Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Pipeline.Etl",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = span => spans[span.Id!] = span,
        };
        ActivitySource.AddActivityListener(listener);
        using (var write = new Activity("an order comes").SetIdFormat(ActivityIdFormat.W3C).Start())
        {
            write.ActivityTraceFlags = ActivityTraceFlags.Recorded;
            await Things.PutAsync(shop, 1, 1);
            write.Stop();
            await Things.PutAsync(shop, 2, 1);
            await shop.RunAsync(
                $"  kafka: {{ kafka: {{ bootstrapServers: \"{kafka.Endpoint}\" }} }}\n  rabbit: {{ rabbitmq: {{ uri: \"{rabbit.Endpoint}\" }} }}",
                $$"""
                etl:
                  - { name: to-kafka, from: [Things], to: kafka, transform: 'send("{{name}}", doc, key: id);' }
                  - { name: to-rabbit, from: [Things], to: rabbit, transform: 'send("{{name}}", doc, key: id);' }
                """
            );
            Check(write, await KafkaReader.ReadAllAsync(kcat, kafka.Endpoint, name));
            Check(write, await RabbitMqReader.ReadAllAsync(python, rabbit.Endpoint, name));
        }

        void Check(Activity write, List<Received> received)
        {
            var parent = received.Single(r => r.Attributes["subject"] == "things/1").Attributes[Header];
            Assert.True(ActivityContext.TryParse(parent, null, out var context), parent);
            Assert.Equal(write.TraceId, context.TraceId);
            Assert.Equal(ActivityTraceFlags.Recorded, context.TraceFlags);

            // Between the write and the consumer stands the span of the transform.
            var span = spans[parent];
            Assert.Equal((write.SpanId, "things/1"), (span.ParentSpanId, span.GetTagItem("pipeline.document.id")));
            Assert.DoesNotContain(Header, received.Single(r => r.Attributes["subject"] == "things/2").Attributes.Keys);
        }
    }
}
