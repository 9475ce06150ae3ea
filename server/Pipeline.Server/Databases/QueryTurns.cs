using System.Runtime.CompilerServices;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;

namespace Pipeline.Server.Databases;

/// <summary>
/// Limits how many queries of one client run at a time. A query occupies a thread until it ends. Without a limit, one
/// client could occupy all threads and processors, and no other request would be answered. Thread-safe.
/// </summary>
/// <param name="atOnce">How many queries of a client run at a time.</param>
/// <param name="mostWaiting">How many more of them may wait.</param>
/// <param name="mostStreams">How many streams of a client may be open.</param>
internal sealed class QueryTurns(int atOnce, int mostWaiting, int mostStreams)
{
    private readonly ClientCounts _streams = new();
    private readonly ConditionalWeakTable<ClientIdentity, Turns> _clients = [];

    /// <summary>Enough to keep all processors busy while some queries wait for the disk.</summary>
    public static int OfProcessors => Math.Max(4, Environment.ProcessorCount * 2);

    /// <summary>Waits for a turn, which ends with the disposal of the result.</summary>
    /// <exception cref="TooManyQueriesException">Too many wait already.</exception>
    public ValueTask<IDisposable> TakeAsync(ClientIdentity client, CancellationToken ct) =>
        _clients.GetValue(client, _ => new Turns(atOnce, mostWaiting)).TakeAsync(ct);

    /// <summary>Counts a stream, until the result is disposed.</summary>
    /// <exception cref="TooManyQueriesException">Too many are open already.</exception>
    public IDisposable OpenStream(ClientIdentity client) =>
        _streams.TryAdd(client, mostStreams) ?? throw TooManyQueriesException.Streams(mostStreams);

    private sealed class Turns(int atOnce, int mostWaiting) : IDisposable
    {
        // Never disposed: no wait handle is asked of it.
        private readonly SemaphoreSlim _free = new(atOnce);
        private int _waiting;

        public ValueTask<IDisposable> TakeAsync(CancellationToken ct) =>
            _free.Wait(0, ct) ? ValueTask.FromResult<IDisposable>(this) : WaitAsync(ct);

        /// <summary>Ends one turn.</summary>
        public void Dispose() => _free.Release();

        private async ValueTask<IDisposable> WaitAsync(CancellationToken ct)
        {
            try
            {
                if (Interlocked.Increment(ref _waiting) > mostWaiting)
                    throw TooManyQueriesException.Waiting(mostWaiting);
                await _free.WaitAsync(ct).ConfigureAwait(false);
                return this;
            }
            finally
            {
                Interlocked.Decrement(ref _waiting);
            }
        }
    }
}
