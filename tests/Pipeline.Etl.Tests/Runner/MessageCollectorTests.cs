using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>Limits on the messages of one document.</summary>
public sealed class MessageCollectorTests
{
    private const int Body = 20 << 20;

    [Theory]
    [InlineData(1 << 20, 3, "64MiB")]
    [InlineData(64 << 20, 3, "64MiB")]
    [InlineData(90 << 20, 4, "90MiB")]
    public void Bodies_of_one_document_have_64_MiB_together_or_what_one_may_have(int bodyBytes, int sent, string limit)
    {
        var collector = new MessageCollector(
            new EtlTaskConfiguration
            {
                Name = "t",
                Limits = new LimitsConfiguration { BodyBytes = bodyBytes },
            },
            "A",
            "test"
        );
        var batch = new PreparedBatch();
        var change = new FeedChange(1, ScriptDocument.FromJson("x/1", "{}"), 2);
        var body = new byte[Body];
        for (var run = 0; run < 2; run++)
        {
            collector.Begin(batch, change);
            for (var i = 0; i < sent; i++)
                collector.Send(new ScriptMessage { Destination = "out", Body = body });
            var e = Assert.Throws<ScriptLimitException>(() =>
                collector.Send(new ScriptMessage { Destination = "out", Body = body })
            );
            Assert.EndsWith($"limits.bodyBytes if that is more) = {limit}.", e.Message, StringComparison.Ordinal);
            Assert.Equal(sent, collector.Count);
            collector.TakeBack();
        }
    }
}
