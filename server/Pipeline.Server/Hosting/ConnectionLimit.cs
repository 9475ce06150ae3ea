using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;

namespace Pipeline.Server.Hosting;

/// <summary>Closes connections above the limit at once, before their first byte is read.</summary>
/// <remarks>Kestrel's own limit logs a warning for each connection that it closes: a client without rights could fill the log. This one logs their number, once in <see cref="Interval"/>.</remarks>
internal sealed class ConnectionLimit(int most, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);
    private readonly Lock _gate = new();
    private long? _logged;
    private int _open;
    private int _refused;

    /// <summary>Serves the connection, or closes it.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        try
        {
            if (Interlocked.Increment(ref _open) <= most)
                await next(connection).ConfigureAwait(false);
            else
                await RefuseAsync(connection).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    private async ValueTask RefuseAsync(ConnectionContext connection)
    {
        await connection.DisposeAsync().ConfigureAwait(false);
        int refused;
        lock (_gate)
        {
            _refused++;
            if (_logged is { } last && time.GetElapsedTime(last) < Interval)
                return;
            (_logged, refused, _refused) = (time.GetTimestamp(), _refused, 0);
        }

        ServerLog.ConnectionsRefused(logger, refused, most);
    }
}
