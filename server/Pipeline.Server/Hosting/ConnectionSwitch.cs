using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Databases;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.Server.Subscriptions;

namespace Pipeline.Server.Hosting;

/// <summary>
/// Selects the protocol by a connection's first byte, after TLS if there is any: a JSON object starts a subscription,
/// anything else is HTTP.
/// </summary>
internal sealed class ConnectionSwitch(
    ServerOptions options,
    ServerDatabases databases,
    ClientAuthentication authentication,
    ILogger logger
)
{
    private readonly ClientCounts _connections = new();

    /// <summary>Ends the subscription connections.</summary>
    public CancellationToken Stopping { get; set; }

    /// <summary>Serves a connection.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        var identity = authentication.Identify(connection.Features.Get<ITlsConnectionFeature>()?.ClientCertificate);
        connection.Features.Set(identity);
        using var counted = _connections.TryAdd(identity, MaxConnectionsOf(identity));
        if (counted is null)
        {
            ServerMetrics.Refused.Add(1);
            ServerLog.TooManyConnections(logger, connection.RemoteEndPoint, identity.Name);
            return;
        }
        var first = await FirstByteAsync(connection).ConfigureAwait(false);
        connection.Features.Get<ConnectionLimit.Place>()?.Begin();
        switch (first)
        {
            case null:
                return;
            case (byte)'{':
                await new SubscriptionConnection(connection, databases, options, logger, Stopping)
                    .RunAsync()
                    .ConfigureAwait(false);
                return;
            default:
                await next(connection).ConfigureAwait(false);
                return;
        }
    }

    /// <summary>
    /// The maximum number of connections of a client. One client leaves some for the others, and unknown clients leave
    /// most.
    /// </summary>
    private int MaxConnectionsOf(ClientIdentity identity) =>
        !authentication.IsOn
            ? int.MaxValue
            : Math.Max(1, identity.IsKnown ? options.Limits.MaxConnections / 2 : options.Limits.MaxConnections / 8);

    /// <summary>The first byte, which remains to be read; null if none arrives within the idle time limit.</summary>
    private async ValueTask<byte?> FirstByteAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        if (input.TryRead(out var read) && !read.Buffer.IsEmpty)
            return Take(read);
        if (!read.Buffer.IsEmpty || read.IsCompleted)
            return null;
        using var late = new CancellationTokenSource(options.Limits.MaxIdleTime, options.Time);
        using var registration = Stopping.UnsafeRegister(
            static stop => ((CancellationTokenSource)stop!).Cancel(),
            late
        );
        try
        {
            read = await input.ReadAsync(late.Token).ConfigureAwait(false);
            return read.Buffer.IsEmpty ? null : Take(read);
        }
        catch (Exception e)
            when (e
                    is OperationCanceledException
                        or ConnectionResetException
                        or ConnectionAbortedException
                        or IOException
            )
        {
            // Nothing arrived, or the client disconnected.
            ServerLog.NothingSent(logger, connection.RemoteEndPoint, e.Message);
            return null;
        }

        byte Take(System.IO.Pipelines.ReadResult found)
        {
            var first = found.Buffer.FirstSpan[0];
            input.AdvanceTo(found.Buffer.Start);
            return first;
        }
    }
}
