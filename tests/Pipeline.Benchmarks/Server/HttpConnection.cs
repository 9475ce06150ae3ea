using System.Net.Sockets;
using System.Text;

namespace Pipeline.Benchmarks.Server;

/// <summary>
/// A client that costs as little as possible: it sends bytes and reads one answer with a length after each.
/// </summary>
internal sealed class HttpConnection : IDisposable
{
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _buffer = new byte[16 << 10];

    public static async Task<HttpConnection> OpenAsync(Uri url)
    {
        var connection = new HttpConnection();
        await connection._socket.ConnectAsync(url.Host, url.Port);
        return connection;
    }

    /// <summary>Sends a request; gives the answer's status.</summary>
    public async ValueTask<int> AskAsync(ReadOnlyMemory<byte> request)
    {
        await SendAsync(request);
        return await ReadAsync();
    }

    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
            bytes = bytes[await _socket.SendAsync(bytes)..];
    }

    public async ValueTask<int> ReadAsync()
    {
        var have = 0;
        var end = -1;
        while (end < 0)
        {
            var read = await _socket.ReceiveAsync(_buffer.AsMemory(have));
            if (read == 0)
                throw new BenchmarkException("the server closed the connection");
            have += read;
            end = _buffer.AsSpan(0, have).IndexOf("\r\n\r\n"u8);
        }
        var head = Encoding.ASCII.GetString(_buffer, 0, end);
        var at = head.IndexOf("Content-Length: ", StringComparison.OrdinalIgnoreCase);
        var left =
            at < 0
                ? 0
                : int.Parse(
                    head.AsSpan(at + 16, (head.IndexOf('\r', at) is > 0 and var to ? to : head.Length) - at - 16),
                    System.Globalization.CultureInfo.InvariantCulture
                ) - (have - end - 4);
        while (left > 0)
        {
            var read = await _socket.ReceiveAsync(_buffer);
            if (read == 0)
                throw new BenchmarkException("the server closed the connection");
            left -= read;
        }
        return int.Parse(head.AsSpan(9, 3), System.Globalization.CultureInfo.InvariantCulture);
    }

    public void Dispose() => _socket.Dispose();
}
