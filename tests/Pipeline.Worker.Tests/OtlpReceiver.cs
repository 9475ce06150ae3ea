using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Pipeline.Worker.Tests;

/// <summary>An OpenTelemetry collector that keeps the data it receives.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(120);

    private readonly HttpListener _listener = new();
    private readonly ConcurrentQueue<(string Path, string Body)> _received = new();
    private readonly Task _receiving;

    public OtlpReceiver()
    {
        using (var port = new TcpListener(IPAddress.Loopback, 0))
        {
            port.Start();
            Url = $"http://127.0.0.1:{((IPEndPoint)port.LocalEndpoint).Port}";
        }

        _listener.Prefixes.Add(Url + "/");
        _listener.Start();
        _receiving = Task.Run(ReceiveAsync);
    }

    /// <summary>Where it listens, without a slash at the end.</summary>
    public string Url { get; }

    /// <summary>The paths that something was sent to.</summary>
    public IEnumerable<string> Paths => _received.Select(r => r.Path).Distinct().Order(StringComparer.Ordinal);

    /// <summary>Waits until a request to the path holds the text.</summary>
    public async Task UntilAsync(string path, string text)
    {
        using var late = new CancellationTokenSource(Timeout);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (!_received.Any(r => r.Path == path && r.Body.Contains(text, StringComparison.Ordinal)))
        {
            if (late.IsCancellationRequested)
                throw new TimeoutException($"{path} got no '{text}'; what came was for {string.Join(", ", Paths)}");
            await timer.WaitForNextTickAsync(CancellationToken.None);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _receiving;
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (true)
            {
                var context = await _listener.GetContextAsync();

                // Names are UTF-8 within the protobuf.
                using var reader = new StreamReader(context.Request.InputStream, Encoding.Latin1);
                var body = await reader.ReadToEndAsync();
                _received.Enqueue(
                    (
                        context.Request.Url!.AbsolutePath,
                        context.Request.ContentType == "application/x-protobuf" ? body : ""
                    )
                );
                context.Response.ContentType = "application/x-protobuf";
                context.Response.Close();
            }
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or IOException)
        {
            // The test is over.
            _ = e;
        }
    }
}
