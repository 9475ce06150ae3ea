using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>The span of sending a batch to the target, and its links to the traces of the messages.</summary>
public sealed class SendSpanTests
{
    [Fact]
    public async Task The_send_of_a_batch_is_linked_to_the_traces_of_its_messages()
    {
        var spans = new ConcurrentBag<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Pipeline.Etl",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = spans.Add,
        };
        ActivitySource.AddActivityListener(listener);
        ActivityTraceId[] traces = [ActivityTraceId.CreateRandom(), ActivityTraceId.CreateRandom()];
        await using var f = new RunnerFixture();
        await f.Database.WriteAsync(t =>
        {
            for (var n = 0; n < 2; n++)
            {
                t.Put(
                    $"things/{n}",
                    Encoding.UTF8.GetBytes(
                        $$"""{"N":{{n}},"@metadata":{"@collection":"Things","traceparent":"00-{{traces[n]}}-00f067aa0ba902b7-01"} }"""
                    )
                );
            }

            t.Put("things/2", """{"N":2,"@metadata":{"@collection":"Things"} }"""u8.ToArray());
        });
        await f.RunToEndAsync(RunnerFixture.Task("spans-of-a-batch"));

        var send = Assert.Single(
            spans,
            s => s.OperationName == "etl send" && s.GetTagItem("pipeline.etl.task") is "spans-of-a-batch"
        );
        Assert.Equal(traces, send.Links.Select(l => l.Context.TraceId));
        foreach (var link in send.Links)
        {
            // What is linked is the span of the transform, which the message carries on.
            var message = Assert.Single(spans, s => s.SpanId == link.Context.SpanId);
            Assert.Equal("etl message", message.OperationName);
        }
    }
}
