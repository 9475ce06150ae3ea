using System.Net.Sockets;
using System.Text;

namespace Pipeline.Client.Tests.Server;

/// <summary>Sends raw bytes to a server and reads the whole answer.</summary>
internal static class RawHttp
{
    /// <summary>
    /// Sends, then waits until the server closes the connection. After a timeout, closes the sending side and reads the
    /// rest.
    /// </summary>
    public static Task<string> AskAsync(Uri url, string text) =>
        AskAsync(url, Encoding.Latin1.GetBytes(text), TimeSpan.FromSeconds(20));

    /// <inheritdoc cref="AskAsync(Uri, string)"/>
    public static async Task<string> AskAsync(Uri url, byte[] bytes, TimeSpan timeout, CancellationToken ct = default)
    {
        using var tcp = new TcpClient { NoDelay = true };
        await tcp.ConnectAsync(url.Host, url.Port, ct);
        var stream = tcp.GetStream();
        var answer = new MemoryStream();
        try
        {
            await stream.WriteAsync(bytes, ct);
            var reading = stream.CopyToAsync(answer, ct);
            // Kestrel abandons a request once its client closes the sending side, so the answer must come first.
            if (await Task.WhenAny(reading, Task.Delay(timeout, ct)) != reading)
                tcp.Client.Shutdown(SocketShutdown.Send);
            await reading;
        }
        catch (IOException e) when (e.InnerException is SocketException)
        {
            // The server had enough before everything was sent.
            answer.Write("(reset)"u8);
        }
        return Encoding.Latin1.GetString(answer.ToArray());
    }
}
