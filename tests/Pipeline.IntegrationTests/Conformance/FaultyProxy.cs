using System.Net;
using System.Net.Sockets;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>
/// Forwards TCP connections to a broker and disturbs them on request: delays, cuts or half-closes them. Thread-safe.
/// </summary>
internal sealed class FaultyProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private readonly HashSet<Socket> _open = [];
    private readonly Task _accepting;
    private volatile bool _isDeaf;
    private int _delay;
    private int _cuts;

    /// <summary>Listens on a free port.</summary>
    /// <param name="target">The broker's port; 0 to be told later, with <see cref="Target"/>.</param>
    public FaultyProxy(int target = 0)
    {
        Target = target;
        _listener.Start();
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port;
        _accepting = AcceptAsync();
    }

    /// <summary>Where it listens.</summary>
    public int Port { get; }

    /// <summary>The broker's port.</summary>
    public int Target { get; set; }

    /// <summary>How long each piece of an answer is held back.</summary>
    public TimeSpan Delay
    {
        get => TimeSpan.FromMilliseconds(Volatile.Read(ref _delay));
        set => Volatile.Write(ref _delay, (int)value.TotalMilliseconds);
    }

    /// <summary>
    /// Whether to discard the broker's answers while requests still reach it: connections stay open, but clients hear
    /// nothing.
    /// </summary>
    public bool IsDeaf
    {
        get => _isDeaf;
        set => _isDeaf = value;
    }

    /// <summary>Connections that were cut.</summary>
    public int Cuts => Volatile.Read(ref _cuts);

    /// <summary>Resets all connections.</summary>
    public void Cut()
    {
        Socket[] open;
        lock (_lock)
            open = [.. _open];
        foreach (var socket in open)
        {
            try
            {
                socket.LingerState = new LingerOption(true, 0);
                socket.Close();
                Interlocked.Increment(ref _cuts);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                continue; // gone already
            }
        }
    }

    /// <summary>
    /// Closes the sending side towards the clients of all connections, as a stopping broker does. Data that clients
    /// send still arrives.
    /// </summary>
    public void HalfClose()
    {
        Socket[] open;
        lock (_lock)
            open = [.. _open];
        foreach (var socket in open)
        {
            try
            {
                socket.Shutdown(SocketShutdown.Send);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                continue; // gone already
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        Cut();
        await _accepting;
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        var passing = new List<Task>();
        try
        {
            while (true)
            {
                var client = await _listener.AcceptSocketAsync(_stop.Token);
                passing.Add(PassAsync(client));
            }
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            await Task.WhenAll(passing);
        }
    }

    private async Task PassAsync(Socket client)
    {
        using var broker = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.NoDelay = true;
        try
        {
            await broker.ConnectAsync(IPAddress.Loopback, Target, _stop.Token);
            lock (_lock)
            {
                _open.Add(client);
                _open.Add(broker);
            }

            await Task.WhenAny(CopyAsync(client, broker, isAnswer: false), CopyAsync(broker, client, isAnswer: true));
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException)
        {
            // The broker is not there: the client finds its connection closed.
        }
        finally
        {
            lock (_lock)
            {
                _open.Remove(client);
                _open.Remove(broker);
            }

            client.Dispose();
        }
    }

    private async Task CopyAsync(Socket from, Socket to, bool isAnswer)
    {
        var buffer = new byte[64 * 1024];
        try
        {
            while (true)
            {
                var read = await from.ReceiveAsync(buffer, _stop.Token);
                if (read == 0)
                    return;
                if (isAnswer && Delay > TimeSpan.Zero)
                    await Task.Delay(Delay, _stop.Token);
                if (isAnswer && _isDeaf)
                    continue;
                for (var sent = 0; sent < read; )
                    sent += await to.SendAsync(buffer.AsMemory(sent, read - sent), _stop.Token);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // Cut, by us or by one of the two.
        }
    }
}
