using System.Net;
using System.Net.Sockets;

namespace Pipeline.WorkerKit.Cluster;

/// <summary>Stands before a node, and cuts connections once they have carried some bytes to the caller.</summary>
public sealed class CuttingProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _accepting;
    private readonly int _target;
    private readonly TaskCompletionSource _holding = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _most = long.MaxValue;

    public CuttingProxy(int target)
    {
        _target = target;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>How many bytes a connection may carry to the caller.</summary>
    public long Most
    {
        set => Interlocked.Exchange(ref _most, value);
    }

    /// <summary>Whether it takes requests and passes on nothing, as the machine of a process that stands still does.</summary>
    public bool StandsStill { get; set; }

    /// <summary>Completes once it has taken something that it does not pass on because it stands still.</summary>
    public Task IsHolding => _holding.Task;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        var connections = new List<Task>();
        try
        {
            while (true)
                connections.Add(CarryAsync(await _listener.AcceptTcpClientAsync(_stop.Token)));
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // It was disposed of.
        }
        await Task.WhenAll(connections);
    }

    private async Task CarryAsync(TcpClient caller)
    {
        using var left = caller;
        using var right = new TcpClient();
        try
        {
            if (StandsStill)
                await HoldAsync();
            await right.ConnectAsync(IPAddress.Loopback, _target, _stop.Token);
            var (inner, outer) = (right.GetStream(), left.GetStream());
            var there = outer.CopyToAsync(inner, _stop.Token);
            var back = BackAsync(inner, outer);
            await await Task.WhenAny(there, back);
            left.Close();
            right.Close();
            await Task.WhenAll(there, back);
        }
        catch (Exception e)
            when (e is IOException or SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // Either side has closed the connection.
        }
    }

    private Task HoldAsync()
    {
        _holding.TrySetResult();
        return Task.Delay(Timeout.Infinite, _stop.Token);
    }

    private async Task BackAsync(NetworkStream from, NetworkStream to)
    {
        var buffer = new byte[16 * 1024];
        for (long carried = 0; carried < Interlocked.Read(ref _most); )
        {
            var read = await from.ReadAsync(buffer, _stop.Token);
            if (read == 0)
                return;
            if (StandsStill)
                await HoldAsync();
            await to.WriteAsync(buffer.AsMemory(0, read), _stop.Token);
            carried += read;
        }
    }
}
