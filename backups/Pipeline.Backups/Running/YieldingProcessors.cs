using System.Collections.Concurrent;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// Runs CPU-bound work on one thread per processor, at a low priority that yields to other threads. Thread-safe.
/// </summary>
internal sealed class YieldingProcessors : IDisposable
{
    private readonly BlockingCollection<Action> _work = [];
    private readonly Thread[] _threads;

    public YieldingProcessors() =>
        _threads = [
            .. Enumerable
                .Range(1, Environment.ProcessorCount)
                .Select(i => YieldingThread.Start(Run, $"pipeline backup {i}")),
        ];

    /// <summary>Queues work and returns its result.</summary>
    public Task<T> RunAsync<T>(Func<T> work)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        _work.Add(() =>
        {
            try
            {
                done.SetResult(work());
            }
#pragma warning disable CA1031 // The caller gets the error.
            catch (Exception e)
#pragma warning restore CA1031
            {
                done.SetException(e);
            }
        });
        return done.Task;
    }

    /// <summary>Ends the threads once all work is done.</summary>
    public void Dispose()
    {
        _work.CompleteAdding();
        foreach (var thread in _threads)
            thread.Join();
        _work.Dispose();
    }

    private void Run()
    {
        foreach (var work in _work.GetConsumingEnumerable())
            work();
    }
}
