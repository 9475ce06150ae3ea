using Pipeline.TestKit.Time;
using Pipeline.Worker.Snmp;
using Xunit;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>A walk asks the worker once, and a slow worker does not hold the agent up.</summary>
public sealed class FiguresCacheTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);
    private readonly ManualTimeProvider _time = new();
    private readonly Queue<TaskCompletionSource<string>> _answers = [];
    private int _asked;

    [Fact]
    public async Task FiguresAreKeptForSomeSeconds()
    {
        var cache = Make("first", "second");
        Assert.Equal("first", await cache.GetAsync(default));
        _time.Advance(FiguresCache<string>.Freshness - Moment);
        Assert.Equal("first", await cache.GetAsync(default));
        Assert.Equal(1, _asked);
        _time.Advance(Moment);
        Assert.Equal("second", await cache.GetAsync(default));
        Assert.Equal("second", await cache.GetAsync(default));
        Assert.Equal(2, _asked);
    }

    [Fact]
    public async Task ASlowReadingIsWaitedForOnceWhileTheKeptFiguresAnswer()
    {
        var cache = Make("first");
        var slow = Add();
        Assert.Equal("first", await cache.GetAsync(default));
        _time.Advance(FiguresCache<string>.Freshness);

        var waiting = cache.GetAsync(default);
        Assert.Equal(FiguresCache<string>.WaitTimeout, await _time.NextTimerAsync());
        Assert.False(waiting.IsCompleted);
        _time.Advance(FiguresCache<string>.WaitTimeout);
        Assert.Equal("first", await waiting);
        // The rest of the walk does not wait.
        Assert.Equal("first", await cache.GetAsync(default));
        Assert.Equal(2, _asked);

        slow.SetResult("second");
        await slow.Task;
        Assert.Equal("second", await UntilChangedAsync(cache, "first"));
        Assert.Equal(2, _asked);
    }

    [Fact]
    public async Task FiguresThatCameAndWereNotAskedForAreOldToo()
    {
        var cache = Make("first");
        var slow = Add();
        Assert.Equal("first", await cache.GetAsync(default));
        _time.Advance(FiguresCache<string>.Freshness);
        var waiting = cache.GetAsync(default);
        await _time.NextTimerAsync();
        _time.Advance(FiguresCache<string>.WaitTimeout);
        Assert.Equal("first", await waiting);
        slow.SetResult("second");

        _time.Advance(TimeSpan.FromMinutes(1));
        Add().SetResult("third");
        var now = await UntilChangedAsync(cache, "first");
        // The reading may have ended only while this asked; it is old all the same.
        if (now == "second")
            now = await cache.GetAsync(default);
        Assert.Equal("third", now);
        Assert.Equal(3, _asked);
    }

    [Fact]
    public async Task FiguresTooOldToBeUsedAreWaitedFor()
    {
        var cache = Make("first");
        var slow = Add();
        Assert.Equal("first", await cache.GetAsync(default));
        _time.Advance(FiguresCache<string>.Usability);
        var waiting = cache.GetAsync(default);
        _time.Advance(FiguresCache<string>.WaitTimeout);
        Assert.False(waiting.IsCompleted);
        slow.SetResult("second");
        Assert.Equal("second", await waiting);
    }

    [Fact]
    public async Task AWaitEndsWithTheProgram()
    {
        var cache = Make();
        Add();
        using var stop = new CancellationTokenSource();
        var waiting = cache.GetAsync(stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    /// <summary>A reading ends on another thread a moment after its answer came.</summary>
    private static async Task<string> UntilChangedAsync(FiguresCache<string> cache, string before)
    {
        string now;
        do
        {
            await Task.Yield();
            now = await cache.GetAsync(default);
        } while (now == before);
        return now;
    }

    private FiguresCache<string> Make(params string[] answers)
    {
        foreach (var answer in answers)
            Add().SetResult(answer);
        return new FiguresCache<string>(
            _ =>
            {
                _asked++;
                return _answers.Dequeue().Task;
            },
            _time
        );
    }

    private TaskCompletionSource<string> Add()
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        _answers.Enqueue(answer);
        return answer;
    }
}
