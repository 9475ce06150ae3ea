namespace Pipeline.Hosting.Workers;

/// <summary>
/// Ends a worker when the services are disposed, if the host has not stopped it. Services are disposed in the reverse
/// order of their creation, and this one is made right after the worker's database, so the worker ends before its
/// database closes.
/// </summary>
internal sealed class WorkerCloser(HostedWorker worker) : IAsyncDisposable, IDisposable
{
    /// <inheritdoc/>
    public ValueTask DisposeAsync() => worker.CloseAsync(CancellationToken.None);

    /// <inheritdoc/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();
}
