using System.Runtime.ExceptionServices;

namespace Pipeline.Storage;

/// <summary>An operation whose caller blocks until it is durable.</summary>
internal sealed class BlockingWrite<T>(Func<WriteTransaction, T> operation, CancellationToken cancellation)
    : PendingWrite(cancellation)
{
    private readonly ThreadSignal _signal = ThreadSignal.Current;
    private T _result = default!;
    private Exception? _error;

    /// <summary>Blocks until it is done; rethrows its exception, or throws the reason for its refusal.</summary>
    public T Wait()
    {
        _signal.Wait();
        if (_error is not null)
            ExceptionDispatchInfo.Throw(_error);
        return _result;
    }

    public override bool Blocks => true;

    public override void Run(WriteTransaction transaction) => _result = operation(transaction);

    public override void Complete() => _signal.Set();

    public override void Fail(Exception error)
    {
        _error = error;
        _signal.Set();
    }
}
