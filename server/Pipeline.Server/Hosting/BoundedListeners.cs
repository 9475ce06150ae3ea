using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace Pipeline.Server.Hosting;

/// <summary>
/// Listeners that together hold at most <paramref name="max"/> open sockets. Further connections wait in the queue of
/// the operating system until an earlier one is closed. Thread-safe.
/// </summary>
/// <remarks>
/// <see cref="ConnectionLimit"/> closes connections after they have been accepted, on another thread. A flood of clients
/// can be accepted faster than they are closed, so that limit alone does not bound the number of open files.
/// </remarks>
[SuppressMessage("Reliability", "CA1001", Justification = "A semaphore is never disposed: BannedSymbols.txt says why.")]
internal sealed class BoundedListeners(IConnectionListenerFactory listeners, int max)
    : IConnectionListenerFactory,
        IConnectionListenerFactorySelector
{
    private readonly SemaphoreSlim _free = new(max, max);

    /// <summary>
    /// The number of sockets for a server that serves <paramref name="connections"/>. It leaves room for connections
    /// that are being refused or replaced.
    /// </summary>
    public static int MaxSocketsFor(int connections) => connections + Math.Max(16, connections / 4);

    /// <inheritdoc/>
    public bool CanBind(EndPoint endpoint) =>
        listeners is not IConnectionListenerFactorySelector selector || selector.CanBind(endpoint);

    /// <inheritdoc/>
    public async ValueTask<IConnectionListener> BindAsync(
        EndPoint endpoint,
        CancellationToken cancellationToken = default
    ) => new Listener(await listeners.BindAsync(endpoint, cancellationToken).ConfigureAwait(false), _free);

    private sealed class Listener(IConnectionListener inner, SemaphoreSlim free) : IConnectionListener
    {
        private readonly CancellationTokenSource _unbound = new();

        public EndPoint EndPoint => inner.EndPoint;

        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _unbound.Token);
            try
            {
                await free.WaitAsync(ended.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (_unbound.IsCancellationRequested)
            {
                return null;
            }
            ConnectionContext? accepted = null;
            try
            {
                accepted = await inner.AcceptAsync(cancellationToken).ConfigureAwait(false);
                return accepted is null ? null : new Connection(accepted, free);
            }
            finally
            {
                if (accepted is null)
                    free.Release();
            }
        }

        public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
        {
            await _unbound.CancelAsync().ConfigureAwait(false);
            await inner.UnbindAsync(cancellationToken).ConfigureAwait(false);
        }

        public async ValueTask DisposeAsync()
        {
            await inner.DisposeAsync().ConfigureAwait(false);
            _unbound.Dispose();
        }
    }

    /// <summary>A connection that releases its slot when its socket is closed.</summary>
    private sealed class Connection(ConnectionContext inner, SemaphoreSlim free) : ConnectionContext
    {
        private int _isDisposed;

        public override string ConnectionId
        {
            get => inner.ConnectionId;
            set => inner.ConnectionId = value;
        }

        public override IFeatureCollection Features => inner.Features;

        public override IDictionary<object, object?> Items
        {
            get => inner.Items;
            set => inner.Items = value;
        }

        public override IDuplexPipe Transport
        {
            get => inner.Transport;
            set => inner.Transport = value;
        }

        public override CancellationToken ConnectionClosed
        {
            get => inner.ConnectionClosed;
            set => inner.ConnectionClosed = value;
        }

        public override EndPoint? LocalEndPoint
        {
            get => inner.LocalEndPoint;
            set => inner.LocalEndPoint = value;
        }

        public override EndPoint? RemoteEndPoint
        {
            get => inner.RemoteEndPoint;
            set => inner.RemoteEndPoint = value;
        }

        public override void Abort() => inner.Abort();

        public override void Abort(ConnectionAbortedException abortReason) => inner.Abort(abortReason);

        public override async ValueTask DisposeAsync()
        {
            try
            {
                await inner.DisposeAsync().ConfigureAwait(false);
                await base.DisposeAsync().ConfigureAwait(false);
            }
            finally
            {
                if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
                    free.Release();
            }
        }
    }
}
