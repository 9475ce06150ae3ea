using Pipeline.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>Nobody waits for ever who hands over an operation while the store closes.</summary>
public sealed class ClosingTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Who_hands_over_or_waits_for_a_place_while_the_store_closes_is_refused()
    {
        var environment = StorageEnvironment.Open(new StorageOptions { MaxQueuedOperations = 1 });
        using var handing = new ManualResetEventSlim();
        using var closed = new ManualResetEventSlim();
        var first = OnThread(() =>
        {
            StepHook.Observer = step =>
            {
                if (step != StorageStep.PlaceTaken)
                    return;
                handing.Set();
                closed.Wait(Timeout);
            };
            environment.Write(Put);
        });
        Assert.True(handing.Wait(Timeout), "no operation was handed over");
        var awaited = Enumerable.Range(0, 20).Select(_ => environment.WriteAsync(Put)).ToList();
        var blocked = OnThread(() => environment.Write(Put));
        environment.Dispose();
        closed.Set();
        foreach (var late in awaited.Append(first).Append(blocked))
            await Assert.ThrowsAsync<ObjectDisposedException>(() => late.WaitAsync(Timeout));
    }

    private static bool Put(WriteTransaction transaction) => transaction.CreateTree("t").Put([1], [1]);

    private static Task OnThread(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
