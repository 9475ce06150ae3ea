using System.Net;
using System.Net.Sockets;

namespace Pipeline.IntegrationTests.Faults.Network;

/// <summary>Accepts the connections to one port, and carries each over the path that belongs to its caller.</summary>
internal sealed class PathProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly Func<int, NetworkPath> _find;
    private readonly Task _accepting;

    /// <summary>Listens on a free port.</summary>
    /// <param name="target">The port that connections lead to.</param>
    /// <param name="find">The path of the caller that connects from a port.</param>
    public PathProxy(int target, Func<int, NetworkPath> find)
    {
        (Target, _find) = (target, find);
        _listener.Start();
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port;
        _accepting = AcceptAsync();
    }

    /// <summary>Where it listens.</summary>
    public int Port { get; }

    /// <summary>The port that new connections lead to.</summary>
    public int Target { get; set; }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting;
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        var carrying = new List<Task>();
        try
        {
            while (true)
            {
                var caller = await _listener.AcceptSocketAsync(_stop.Token);
                carrying.RemoveAll(t => t.IsCompletedSuccessfully);
                carrying.Add(Task.Run(() => CarryAsync(caller)));
            }
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            await Task.WhenAll(carrying);
        }
    }

    private async Task CarryAsync(Socket caller)
    {
        using var target = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        using var own = caller;
        caller.NoDelay = true;
        var connection = new PathConnection(caller, target);
        NetworkPath? path = null;
        try
        {
            path = _find(((IPEndPoint)caller.RemoteEndPoint!).Port);
            if (!path.TryAdd(connection))
            {
                connection.Reset();
                return;
            }
            await target.ConnectAsync(IPAddress.Loopback, Target, _stop.Token);
            await Task.WhenAll(
                CopyAsync(caller, target, path, connection, isBack: false),
                CopyAsync(target, caller, path, connection, isBack: true)
            );
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            connection.Reset(); // the target is not there
        }
        finally
        {
            path?.Remove(connection);
        }
    }

    /// <summary>
    /// Carries one direction to its end. A waiting direction does not notice the end of the other. So bytes still
    /// arrive after their sender has given up.
    /// </summary>
    private async Task CopyAsync(Socket from, Socket to, NetworkPath path, PathConnection connection, bool isBack)
    {
        var buffer = new byte[64 * 1024];
        try
        {
            while (true)
            {
                var read = await ReceiveAsync(from, buffer);
                var passes = await path.PassAsync(connection, isBack, _stop.Token);
                if (read == 0)
                {
                    to.Shutdown(SocketShutdown.Send);
                    return;
                }
                for (var sent = 0; passes && sent < read; )
                    sent += await to.SendAsync(buffer.AsMemory(sent, read - sent), _stop.Token);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            return; // the other direction finds its sender gone
        }
    }

    /// <summary>Receives; 0 at the end, also if that was a reset.</summary>
    private async Task<int> ReceiveAsync(Socket from, byte[] buffer)
    {
        try
        {
            return await from.ReceiveAsync(buffer, _stop.Token);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            return 0;
        }
    }
}
