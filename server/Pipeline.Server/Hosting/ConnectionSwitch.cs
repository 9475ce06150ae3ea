using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Security;
using Pipeline.Server.Subscriptions;

namespace Pipeline.Server.Hosting;

/// <summary>Looks at the first byte of each connection: a JSON object begins a subscription, all else is HTTP. Behind TLS where there is TLS.</summary>
internal sealed class ConnectionSwitch(ServerOptions options, ServerDatabases databases, ClientAuthentication authentication, ILogger logger)
{
    /// <summary>Ends the subscriptions' connections.</summary>
    public CancellationToken Stopping { get; set; }

    /// <summary>Serves a connection.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        connection.Features.Set(authentication.Identify(connection.Features.Get<ITlsConnectionFeature>()?.ClientCertificate));
        switch (await FirstByteAsync(connection).ConfigureAwait(false))
        {
            case null:
                return;
            case (byte)'{':
                await new SubscriptionConnection(connection, databases, options, logger, Stopping).RunAsync().ConfigureAwait(false);
                return;
            default:
                await next(connection).ConfigureAwait(false);
                return;
        }
    }

    /// <summary>The first byte, which stays to be read; null where none comes in the time that a connection may be idle.</summary>
    private async ValueTask<byte?> FirstByteAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        if (input.TryRead(out var read) && !read.Buffer.IsEmpty)
            return Take(read);
        if (!read.Buffer.IsEmpty || read.IsCompleted)
            return null;
        using var late = new CancellationTokenSource(options.Limits.MaxIdleTime, options.Time);
        using var registration = Stopping.UnsafeRegister(static stop => ((CancellationTokenSource)stop!).Cancel(), late);
        try
        {
            read = await input.ReadAsync(late.Token).ConfigureAwait(false);
            return read.Buffer.IsEmpty ? null : Take(read);
        }
        catch (Exception e) when (e is OperationCanceledException or ConnectionResetException or ConnectionAbortedException or IOException)
        {
            // Nothing came, or the client is gone.
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
