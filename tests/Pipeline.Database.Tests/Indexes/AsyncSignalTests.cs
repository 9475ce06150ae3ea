using Pipeline.Database.Indexes;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>The pause of an index between two batches.</summary>
public sealed class AsyncSignalTests
{
    [Fact]
    public async Task A_wait_ends_when_the_flag_is_set()
    {
        var signal = new AsyncSignal();
        var wait = signal.WaitAsync(TimeSpan.FromDays(1), CancellationToken.None).AsTask();
        Assert.False(wait.IsCompleted);
        signal.Set();
        await wait;
    }

    [Fact]
    public async Task A_flag_that_is_set_needs_no_wait_until_it_is_reset()
    {
        var signal = new AsyncSignal();
        signal.Set();
        Assert.True(signal.WaitAsync(TimeSpan.FromDays(1), CancellationToken.None).AsTask().IsCompletedSuccessfully);
        signal.Reset();
        var wait = signal.WaitAsync(TimeSpan.FromDays(1), CancellationToken.None).AsTask();
        Assert.False(wait.IsCompleted);
        signal.Set();
        await wait;
    }

    [Fact]
    public async Task A_time_that_is_over_ends_the_wait()
    {
        var signal = new AsyncSignal();
        Assert.True(signal.WaitAsync(TimeSpan.Zero, CancellationToken.None).AsTask().IsCompletedSuccessfully);
        await signal.WaitAsync(TimeSpan.FromMilliseconds(1), CancellationToken.None);
    }

    [Fact]
    public async Task A_cancelled_wait_throws()
    {
        var signal = new AsyncSignal();
        using var stop = new CancellationTokenSource();
        var wait = signal.WaitAsync(TimeSpan.FromDays(1), stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait);
    }
}
