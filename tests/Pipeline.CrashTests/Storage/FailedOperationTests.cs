using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>What a failed operation tells its caller is as durable as the answers of the others.</summary>
public sealed class FailedOperationTests : IDisposable
{
    private readonly SimulatedDisk _disk = new();
    private readonly StorageEnvironment _store;

    public FailedOperationTests() =>
        _store = StorageEnvironment.Open(CrashWorkload.Options(_disk, StorageFaults.None) with { Threadless = true });

    public void Dispose()
    {
        StepHook.Observer = null;
        _store.Dispose();
        _disk.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_error_waits_until_what_it_comes_from_is_durable(bool fails)
    {
        var write = _store.WriteAsync(t => t.CreateTree("t").Put("a"u8, "1"u8));
        var conflict = _store.WriteAsync(FailWhereThere);
        var waited = false;
        StepHook.Observer = step =>
        {
            if (step != StorageStep.JournalWrite)
                return;
            waited = !conflict.IsCompleted;
            if (fails)
                throw new IOException("planted");
        };
        Assert.True(_store.TryTakeTurn());
        Assert.True(waited);
        if (fails)
        {
            await Assert.ThrowsAsync<StorageFailedException>(() => write);
            await Assert.ThrowsAsync<StorageFailedException>(() => conflict);
        }
        else
        {
            await write;
            Assert.Equal("conflict", (await Assert.ThrowsAsync<InvalidOperationException>(() => conflict)).Message);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_error_does_not_come_from_what_is_undone(bool cancelled)
    {
        using var stop = new CancellationTokenSource();
        var runs = 0;
        var first = _store.WriteAsync(
            t =>
            {
                if (++runs > 1 && !cancelled)
                    throw new InvalidOperationException("not again");
                return t.CreateTree("t").Put("a"u8, "1"u8);
            },
            stop.Token
        );
        var conflict = _store.WriteAsync(FailWhereThere);
        var later = _store.WriteAsync(t =>
        {
            t.CreateTree("t").Put("b"u8, "1"u8);
            stop.Cancel();
            throw new InvalidOperationException("mine");
        });
        while (_store.TryTakeTurn()) { }

        Assert.Equal("mine", (await Assert.ThrowsAsync<InvalidOperationException>(() => later)).Message);
        Assert.Equal(cancelled, first.IsCompletedSuccessfully);
        Assert.Equal(cancelled ? "conflict" : null, conflict.Exception?.InnerException!.Message);
        using var read = _store.BeginRead();
        Assert.Equal(cancelled, read.TryOpenTree("t", out var tree) && tree.TryGet("a"u8, out _));
    }

    private static void FailWhereThere(WriteTransaction transaction)
    {
        if (transaction.TryOpenTree("t", out var tree) && tree.TryGet("a"u8, out _))
            throw new InvalidOperationException("conflict");
    }
}
