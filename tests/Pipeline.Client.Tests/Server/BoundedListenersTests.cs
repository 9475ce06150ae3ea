using System.Net;
using Microsoft.AspNetCore.Connections;
using Pipeline.Server.Hosting;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>The number of sockets is bounded where they are accepted, however slowly they are closed.</summary>
public sealed class BoundedListenersTests
{
    private static readonly IPEndPoint AnyPort = new(IPAddress.Loopback, 0);

    [Fact]
    public async Task A_listener_accepts_no_more_until_a_connection_is_closed()
    {
        var transport = new Transport();
        var listeners = new BoundedListeners(transport, max: 2);
        await using var first = await listeners.BindAsync(AnyPort);
        await using var second = await listeners.BindAsync(AnyPort);

        await using var one = await first.AcceptAsync();
        var two = await second.AcceptAsync();
        var third = first.AcceptAsync().AsTask();
        Assert.False(third.IsCompleted);
        Assert.Equal(2, transport.Accepted);

        await two!.DisposeAsync();
        await two.DisposeAsync();
        await using var three = await third;
        var fourth = first.AcceptAsync().AsTask();
        Assert.False(fourth.IsCompleted);
        Assert.Equal(3, transport.Accepted);

        await first.UnbindAsync();
        Assert.Null(await fourth);
    }

    [Fact]
    public async Task An_accept_that_fails_takes_no_place()
    {
        var transport = new Transport { Fails = true };
        var listeners = new BoundedListeners(transport, max: 1);
        await using var listener = await listeners.BindAsync(AnyPort);
        await Assert.ThrowsAsync<IOException>(async () => await listener.AcceptAsync());

        transport.Fails = false;
        await using var connection = await listener.AcceptAsync();
        Assert.NotNull(connection);
    }

    private sealed class Transport : IConnectionListenerFactory, IConnectionListener
    {
        public int Accepted { get; private set; }

        public bool Fails { get; set; }

        public EndPoint EndPoint => AnyPort;

        public ValueTask<IConnectionListener> BindAsync(
            EndPoint endpoint,
            CancellationToken cancellationToken = default
        ) => new(this);

        public ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            if (Fails)
                throw new IOException("too many open files");
            Accepted++;
            return new(new DefaultConnectionContext());
        }

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => default;

        public ValueTask DisposeAsync() => default;
    }
}
