using Pipeline.Cluster.Tests.Driver;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Cluster.Tests.Begin;

/// <summary>An empty log begins with a store; only its equals go on, and a crash between two steps does no harm.</summary>
public sealed class LogBeginningTests : IDisposable
{
    private static readonly byte[] Key = [1];
    private readonly TestFolder _folder = new();
    private readonly CancellationTokenSource _late = new(TimeSpan.FromSeconds(60));

    private CancellationToken Late => _late.Token;

    public void Dispose()
    {
        _late.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_store_that_was_alone_begins_a_log_and_the_next_node_needs_a_copy()
    {
        await using var log = new MemoryLog();
        var store = await MakeAsync("one", transactions: 3);
        var first = await LogBeginning.WriteAsync(store, log, "n1", Late);
        Assert.Equal(LogBeginning.NextTransaction(store), first);
        Assert.Equal(new LogBounds(0, 1), await log.GetBoundsAsync(Late));
        Assert.Equal(RefillNeed.None, await Refills.FindNeedAsync(store, log, Late));
        Assert.Equal(RefillNeed.NoStore, await Refills.FindNeedAsync(Options("two"), log, Late));
        // A node that was started too early has an empty store.
        Assert.Equal(RefillNeed.NoStore, await Refills.FindNeedAsync(await MakeAsync("two", 0), log, Late));
    }

    [Fact]
    public async Task A_copy_of_the_folder_is_not_taken_for_the_store_that_began_the_log()
    {
        await using var log = new MemoryLog();
        var store = await MakeAsync("one", transactions: 3);
        var copy = await MakeAsync("two", transactions: 3);
        await LogBeginning.WriteAsync(store, log, "n1", Late);
        Assert.Equal(RefillNeed.None, await Refills.FindNeedAsync(copy, log, Late));
        Assert.Equal(NodeStop.AheadOfLog, await StopOfAsync(copy, log));
    }

    [Fact]
    public async Task A_crash_before_the_position_is_kept_is_mended_by_the_same_call()
    {
        await using var log = new MemoryLog();
        var store = await MakeAsync("one", transactions: 3);
        var first = await LogBeginning.WriteAsync(store, log, "n1", Late);
        File.Delete(Path.Combine(store.Path!, PositionFile.Name));
        await Assert.ThrowsAsync<LogInUseException>(() => LogBeginning.WriteAsync(store, log, "n2", Late));
        Assert.Equal(first, await LogBeginning.WriteAsync(store, log, "n1", Late));
        Assert.Equal(new LogBounds(0, 1), await log.GetBoundsAsync(Late));
        Assert.Equal(NodeStop.None, await StopOfAsync(store, log));
        // After the node has led, the call still does nothing.
        Assert.Equal(first, await LogBeginning.WriteAsync(store, log, "n1", Late));
    }

    [Fact]
    public async Task A_lost_answer_is_an_error_that_the_next_call_settles()
    {
        await using var log = new MemoryLog();
        var store = await MakeAsync("one", transactions: 1);
        var way = new AwayLog(log) { LosesAnswers = 1 };
        await Assert.ThrowsAsync<BeginningUnknownException>(() => LogBeginning.WriteAsync(store, way, "n1", Late));
        Assert.False(File.Exists(Path.Combine(store.Path!, PositionFile.Name)));
        await LogBeginning.WriteAsync(store, way, "n1", Late);
        Assert.Equal(new LogBounds(0, 1), await log.GetBoundsAsync(Late));
    }

    [Fact]
    public async Task A_log_with_records_is_refused_and_nothing_is_changed()
    {
        await using var log = new MemoryLog();
        await log.AppendAsync(LogRecord.Claim(AutomatonState.Start, Guid.NewGuid(), "n9").Bytes, 0, Late);
        var store = await MakeAsync("one", transactions: 3);
        var refused = await Assert.ThrowsAsync<LogInUseException>(() =>
            LogBeginning.WriteAsync(store, log, "n1", Late)
        );
        Assert.Equal(1, refused.Bounds.End);
        Assert.False(File.Exists(Path.Combine(store.Path!, PositionFile.Name)));
    }

    [Theory]
    [InlineData(true, false, false, true)]
    [InlineData(false, false, false, false)]
    [InlineData(true, true, false, false)]
    [InlineData(true, false, true, false)]
    public async Task Only_a_store_that_read_the_end_of_the_same_log_goes_on(
        bool hasEnded,
        bool otherChain,
        bool isBehind,
        bool goesOn
    )
    {
        await using var log = new MemoryLog();
        var chain = default(Chain).Append("all records"u8);
        var store = await MakeAsync("one", transactions: 3);
        var other = await MakeAsync("two", transactions: isBehind ? 2 : 3);
        var next = LogBeginning.NextTransaction(store);
        var ended = new AutomatonState(4, Guid.NewGuid(), next, chain, 0, LogPhase.Ended, 0);
        Keep(store, ended);
        Keep(
            other,
            ended with
            {
                Phase = hasEnded ? LogPhase.Ended : LogPhase.Led,
                Chain = otherChain ? chain.Append("one more"u8) : chain,
            }
        );
        Assert.True(LogBeginning.HasReadTheEnd(store));
        Assert.Equal(hasEnded && !isBehind, LogBeginning.HasReadTheEnd(other));
        await LogBeginning.WriteAsync(store, log, "n1", Late);
        var first = (await LogBeginning.FindAsync(log, Late))!.Value;
        Assert.Equal((4, next, chain, "n1"), (first.Epoch, first.Transaction, first.Chain, first.Name));
        Assert.Equal(goesOn, LogBeginning.TryAdopt(other, first));
        Assert.Equal(goesOn ? NodeStop.None : NodeStop.AheadOfLog, await StopOfAsync(other, log));
    }

    private static void Keep(StorageOptions store, AutomatonState state)
    {
        using var file = PositionFile.Open(NativeStorageFiles.Instance, store.Path!);
        file.Save(new ReadPosition(90, state, default(Chain).Append("last"u8)));
    }

    private StorageOptions Options(string name) => new() { Path = _folder[name] };

    private async Task<StorageOptions> MakeAsync(string name, int transactions)
    {
        var options = Options(name);
        using var store = StorageEnvironment.Open(options with { IsReplica = transactions == 0 });
        for (var i = 0; i < transactions; i++)
            await store.WriteAsync(t => t.CreateTree("t").Put(Key, [(byte)i]));
        return options;
    }

    /// <summary>Has a node read the whole log, and tells whether it stops.</summary>
    private async Task<NodeStop> StopOfAsync(StorageOptions options, MemoryLog log)
    {
        using var store = StorageEnvironment.Open(options with { IsReplica = true });
        using var position = PositionFile.Open(NativeStorageFiles.Instance, options.Path!);
        var times = new NodeOptions("n", Guid.NewGuid())
        {
            Lease = TimeSpan.FromMilliseconds(100),
            LeaseWait = TimeSpan.FromMilliseconds(120),
            BeatEvery = TimeSpan.FromMilliseconds(30),
            ElectAfter = TimeSpan.FromMilliseconds(150),
        };
        await using var driver = new NodeDriver(store, position, log, times);
        driver.Start();
        await driver.WaitAsync(s => s.TakesWrites || s.Stop != NodeStop.None, Late);
        return driver.Status.Stop;
    }
}
