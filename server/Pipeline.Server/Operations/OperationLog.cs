using System.Collections.Concurrent;

namespace Pipeline.Server.Operations;

/// <summary>Operations that continue after their request was answered, and their outcomes. Thread-safe.</summary>
internal sealed class OperationLog(TimeProvider time)
{
    private const int MaxEnded = 1_000;
    private readonly ConcurrentDictionary<long, Operation> _operations = new();
    private readonly ConcurrentQueue<long> _ended = new();
    private long _last;

    /// <summary>Raised when an operation starts, ends, or reports progress, at most once a second.</summary>
    public event EventHandler<Operation>? Changed;

    /// <summary>The number of a new operation.</summary>
    public long NextId() => Interlocked.Increment(ref _last);

    /// <summary>The operation; null if it is unknown or forgotten.</summary>
    public Operation? Get(long id) => _operations.GetValueOrDefault(id);

    /// <summary>Runs work in the background.</summary>
    /// <param name="id">Its number.</param>
    /// <param name="work">Reports its progress and returns its result.</param>
    public Operation Start(long id, Func<Operation, CancellationToken, Task> work)
    {
        var operation = Begin(id);
        operation.Work = Task.Run(() => RunAsync(operation, work));
        return operation;
    }

    /// <summary>Runs work now, under a number that others can look up; its error is stored and thrown.</summary>
    public async Task RunAsync(long id, Func<Operation, CancellationToken, Task> work)
    {
        var operation = Begin(id);
        await RunAsync(operation, work).ConfigureAwait(false);
        if (operation.Error is { } error)
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(error);
    }

    /// <summary>Asks all background work to stop, and waits for it.</summary>
    public async Task StopAsync()
    {
        foreach (var operation in _operations.Values)
        {
            operation.Stop();
            if (operation.Work is { } work)
                await work.ConfigureAwait(false);
        }
    }

    private Operation Begin(long id)
    {
        var operation = new Operation(id, time, o => Changed?.Invoke(this, o));
        _operations[id] = operation;
        Changed?.Invoke(this, operation);
        return operation;
    }

    private async Task RunAsync(Operation operation, Func<Operation, CancellationToken, Task> work)
    {
        try
        {
            await work(operation, operation.Stopping).ConfigureAwait(false);
            operation.End(OperationStatus.Completed);
        }
        catch (OperationCanceledException e) when (operation.Stopping.IsCancellationRequested)
        {
            operation.End(OperationStatus.Canceled, e);
        }
#pragma warning disable CA1031 // The operation's state reports the error.
        catch (Exception e)
#pragma warning restore CA1031
        {
            operation.End(OperationStatus.Faulted, e);
        }
        Changed?.Invoke(this, operation);
        _ended.Enqueue(operation.Id);
        while (_ended.Count > MaxEnded && _ended.TryDequeue(out var oldest))
        {
            if (_operations.TryRemove(oldest, out var forgotten))
                forgotten.Dispose();
        }
    }
}
