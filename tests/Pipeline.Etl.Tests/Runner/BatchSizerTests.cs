using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>How large batches are: by the backlog, and by the time that the target takes.</summary>
public sealed class BatchSizerTests
{
    [Fact]
    public async Task Batches_follow_what_the_target_takes_in_the_time_that_is_wished()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 6_000);
        double milliseconds = 10;
        f.Broker.BeforeArrival = (_, batch) =>
        {
            f.Time.Advance(TimeSpan.FromMilliseconds(milliseconds * batch.Messages.Count));
            if (f.Broker.Arrived.Count > 3_000)
                milliseconds = 0.1;
        };
        await using var host = f.Start(
            RunnerFixture.Task("t", more: "batch: { minDocuments: 10, maxDocuments: 1000, targetTime: 1s }")
        );
        Assert.True(await f.DrainAsync(host));
        Assert.Equal(6_000, f.Broker.Arrived.Count);

        // 10, 40 and 160 are tried, and up to two more, of 640 and 1,000, are made before the answer to those; one
        // hundred is what a second allows.
        Assert.All(
            f.Broker.Batches.Where(b => b.Position is > 1_850 and <= 3_000),
            b => Assert.InRange(b.Count, 90, 100)
        );
        Assert.Equal(1_000, f.Broker.Batches.Max(b => b.Count));
    }

    [Fact]
    public void A_batch_is_never_smaller_than_the_smallest_nor_larger_than_the_largest()
    {
        var sizer = new BatchSizer(
            new BatchConfiguration
            {
                MinDocuments = 100,
                MaxDocuments = 5_000,
                TargetTime = TimeSpan.FromSeconds(1),
            }
        );
        Assert.Equal(100, sizer.Size);
        sizer.ObserveSent(100, TimeSpan.FromHours(1));
        sizer.Observe(100, isAtEnd: false);
        Assert.Equal(100, sizer.Size);
        for (var i = 0; i < 10; i++)
        {
            sizer.Observe(sizer.Size, isAtEnd: false);
            sizer.ObserveSent(sizer.Size, TimeSpan.FromMilliseconds(10));
        }

        Assert.Equal(5_000, sizer.Size);
        sizer.ObserveSent(5_000, TimeSpan.FromMilliseconds(700));
        Assert.Equal(5_000, sizer.Size);
        sizer.ObserveSent(5_000, TimeSpan.FromSeconds(10));
        Assert.Equal(500, sizer.Size);
    }
}
