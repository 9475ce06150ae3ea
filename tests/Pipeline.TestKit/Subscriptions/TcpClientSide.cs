using System.Buffers;
using System.IO.Pipelines;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;

namespace Pipeline.TestKit.Subscriptions;

/// <summary>A TCP client that sends arbitrary text and reads consecutive JSON objects. Its reader is not the server's.</summary>
public sealed class TcpClientSide : IAsyncDisposable
{
    private readonly TcpClient _tcp;
    private readonly Stream _stream;
    private readonly PipeReader _reader;

    private TcpClientSide(TcpClient tcp, Stream stream)
    {
        (_tcp, _stream) = (tcp, stream);
        _reader = PipeReader.Create(stream);
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
        using var message = await NextAsync() ?? throw new EndOfStreamException();
        return read(message.RootElement);
    }

    /// <summary>Whether the server has ended the connection and says nothing more.</summary>
    public async Task<bool> IsEndedAsync()
    {
        try
        {
            using var message = await NextAsync();
            return message is null;
        }
        catch (IOException e)
        {
            return e.InnerException is SocketException;
        }
    }

    /// <summary>The next object; null after the last one.</summary>
    private async Task<JsonDocument?> NextAsync()
    {
        while (true)
        {
            var read = await _reader.ReadAsync();
            if (TryTake(read.Buffer, out var message, out var consumed))
            {
                _reader.AdvanceTo(consumed);
                return message;
            }
            if (read.IsCompleted)
                return null;
            _reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    private static bool TryTake(
        ReadOnlySequence<byte> received,
        out JsonDocument? message,
        out SequencePosition consumed
    )
    {
        var reader = new Utf8JsonReader(received, isFinalBlock: false, default);
        var found = JsonDocument.TryParseValue(ref reader, out message);
        consumed = reader.Position;
        return found;
    }

    public async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync();
        _tcp.Dispose();
    }
}
