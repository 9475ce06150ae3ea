using System.IO.Pipelines;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Pipeline.Server.Subscriptions;

namespace Pipeline.Client.Tests.Server;

/// <summary>A client that sends arbitrary bytes and reads JSON objects.</summary>
internal sealed class TcpClientSide : IAsyncDisposable
{
    private readonly TcpClient _tcp;
    private readonly Stream _stream;
    private readonly TcpMessageReader _reader;

    private TcpClientSide(TcpClient tcp, Stream stream)
    {
        (_tcp, _stream) = (tcp, stream);
        _reader = new TcpMessageReader(PipeReader.Create(stream));
    }

    public static async Task<TcpClientSide> ConnectAsync(
        Uri url,
        X509Certificate2? trusted = null,
        X509Certificate2? certificate = null
    )
    {
        var tcp = new TcpClient { NoDelay = true };
        await tcp.ConnectAsync(url.Host, url.Port);
        if (trusted is null)
            return new TcpClientSide(tcp, tcp.GetStream());
        var tls = new SslStream(tcp.GetStream());
        await tls.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                ClientCertificates = certificate is null ? null : [certificate],
                RemoteCertificateValidationCallback = (_, its, _, _) =>
                    its!.GetCertHashString() == trusted.GetCertHashString(),
            }
        );
        return new TcpClientSide(tcp, tls);
    }

    public async Task SendAsync(string text)
    {
        await _stream.WriteAsync(Encoding.UTF8.GetBytes(text));
        await _stream.FlushAsync();
    }

    public void EndSending() => _tcp.Client.Shutdown(SocketShutdown.Send);

    public async Task<T> ReadAsync<T>(Func<JsonElement, T> read)
    {
        using var message = await _reader.ReadAsync(CancellationToken.None) ?? throw new EndOfStreamException();
        return read(message.RootElement);
    }

    /// <summary>Whether the server has ended the connection and says nothing more.</summary>
    public async Task<bool> IsEndedAsync()
    {
        try
        {
            using var message = await _reader.ReadAsync(CancellationToken.None);
            return message is null;
        }
        catch (IOException e)
        {
            return e.InnerException is SocketException;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync();
        _tcp.Dispose();
    }
}
