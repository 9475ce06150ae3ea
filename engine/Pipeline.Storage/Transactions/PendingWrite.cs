namespace Pipeline.Storage;

/// <summary>An operation that waits to be run, or to become durable.</summary>
internal abstract class PendingWrite(CancellationToken cancellation)
{
    public CancellationToken Cancellation { get; } = cancellation;

    /// <summary>
    /// Whether it runs in a separate transaction: a merged one was too large, or showed it changes that were undone.
    /// </summary>
    public bool Alone { get; set; }

    /// <summary>Whether its caller was told how it ended.</summary>
    public bool IsDone { get; set; }

    /// <summary>Whether a thread sleeps until it is done.</summary>
    public virtual bool Blocks => false;

    /// <summary>Runs it; may happen again after a rollback.</summary>
    public abstract void Run(WriteTransaction transaction);

    /// <summary>Tells the caller that it is durable.</summary>
    public abstract void Complete();

    /// <summary>Tells the caller that it was not done.</summary>
    public abstract void Fail(Exception error);
}

/// <summary>An operation with a result.</summary>
internal sealed class PendingWrite<T>(Func<WriteTransaction, T> operation, CancellationToken cancellation)
    : PendingWrite(cancellation)
{
    private readonly TaskCompletionSource<T> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private T _result = default!;

    public Task<T> Task => _completion.Task;

    public override void Run(WriteTransaction transaction) => _result = operation(transaction);

    public override void Complete() => _completion.TrySetResult(_result);

    public override void Fail(Exception error)
    {
        if (error is OperationCanceledException canceled)
            _completion.TrySetCanceled(canceled.CancellationToken);
        else
            _completion.TrySetException(error);
    }
}
