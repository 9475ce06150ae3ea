using System.Net.Http.Json;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Database.Certificates;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Calls other nodes. With TLS each side identifies the other by the thumbprint of its certificate: this node presents
/// its server certificate as a client, and accepts only certificates of nodes. Thread-safe.
/// </summary>
internal sealed class NodeClient : IDisposable
{
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web);
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(1);
    private readonly IReadOnlyList<CertificateThumbprint> _nodes;
    private readonly HttpClient _client;

    /// <param name="certificate">This node's certificate with its key; null without TLS.</param>
    /// <param name="nodes">The certificates of all nodes.</param>
    public NodeClient(X509Certificate2? certificate, IReadOnlyList<CertificateThumbprint> nodes)
    {
        (Certificate, _nodes) = (certificate, nodes);
        var handler = new SocketsHttpHandler
        {
            UseProxy = false,
            AllowAutoRedirect = false,
            UseCookies = false,
            AutomaticDecompression = System.Net.DecompressionMethods.None,
            ActivityHeadersPropagator = null,
            ConnectTimeout = ConnectTimeout,
            PooledConnectionIdleTimeout = TimeSpan.FromMinutes(1),
        };
        if (certificate is not null)
        {
            handler.SslOptions = new SslClientAuthenticationOptions
            {
                ClientCertificates = [certificate],
                LocalCertificateSelectionCallback = (_, _, _, _, _) => certificate,
                RemoteCertificateValidationCallback = (_, remote, _, _) => IsOfNode(remote),
                CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
            };
        }
        var sending = new ResetAsUnreachable(handler);
        Invoker = new HttpMessageInvoker(sending, disposeHandler: true);
        _client = new HttpClient(sending, disposeHandler: false) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>Creates the client of a configuration's node.</summary>
    /// <exception cref="CertificateFileException">The server's certificate cannot be used.</exception>
    public static NodeClient Of(PipelineConfiguration configuration)
    {
        var own = configuration.Server.Certificate is { } from
            ? new CertificateFiles(from.File, from.Key, from.Password).Load()
            : null;
        var trusted = new List<CertificateThumbprint>();
        if (own is not null)
            trusted.Add(CertificateThumbprint.Of(own));
        foreach (var text in configuration.Cluster!.Certificates)
        {
            if (CertificateThumbprint.TryParse(text, out var thumbprint))
                trusted.Add(thumbprint);
        }
        return new NodeClient(own, trusted);
    }

    /// <summary>This node's certificate with its key; null without TLS.</summary>
    public X509Certificate2? Certificate { get; }

    /// <summary>The certificates of all nodes, including this one.</summary>
    public IReadOnlyList<CertificateThumbprint> Nodes => _nodes;

    /// <summary>Sends whole requests.</summary>
    public HttpMessageInvoker Invoker { get; }

    /// <summary>Asks a node for a value.</summary>
    /// <exception cref="HttpRequestException">It cannot be reached, or answers with an error.</exception>
    public async Task<T> GetAsync<T>(ServerNode node, string path, CancellationToken ct)
    {
        try
        {
            using var answer = await BeginAsync(node, path, ct).ConfigureAwait(false);
            return await answer.Content.ReadFromJsonAsync<T>(Json, ct).ConfigureAwait(false)
                ?? throw new HttpRequestException($"{node.Name} answered {path} with nothing.");
        }
        catch (IOException e)
        {
            throw new HttpRequestException($"{node.Name} did not complete its answer to {path}: {e.Message}", e);
        }
    }

    /// <summary>Asks a node for a value, and waits for a limited time.</summary>
    /// <returns>The value, or why there is none.</returns>
    public async Task<(T? Value, string? Problem)> TryGetAsync<T>(
        ServerNode node,
        string path,
        TimeSpan timeout,
        CancellationToken ct
    )
        where T : class
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(timeout);
        try
        {
            return (await GetAsync<T>(node, path, late.Token).ConfigureAwait(false), null);
        }
        catch (Exception e)
            when ((e is HttpRequestException or OperationCanceledException or JsonException)
                && !ct.IsCancellationRequested
            )
        {
            var problem =
                e is OperationCanceledException ? $"it did not answer within {timeout.TotalSeconds:0} s" : e.Message;
            return (null, problem);
        }
    }

    /// <summary>Sends a node a request without a body, and returns the answer's text.</summary>
    /// <exception cref="HttpRequestException">It cannot be reached, or answers with an error.</exception>
    public async Task<string> PostAsync(ServerNode node, string path, CancellationToken ct)
    {
        using var answer = await _client.PostAsync(new Uri(node.Url, path), content: null, ct).ConfigureAwait(false);
        await ThrowIfRefusedAsync(node, answer, ct).ConfigureAwait(false);
        return await answer.Content.ReadAsStringAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Starts reading a long answer.</summary>
    /// <exception cref="HttpRequestException">It cannot be reached, or answers with an error.</exception>
    public Task<HttpResponseMessage> BeginAsync(ServerNode node, string path, CancellationToken ct) =>
        BeginAsync(node, HttpMethod.Get, path, ct);

    /// <summary>Sends a node a request without a body, and starts reading a long answer.</summary>
    /// <exception cref="HttpRequestException">It cannot be reached, or answers with an error.</exception>
    public Task<HttpResponseMessage> BeginPostAsync(ServerNode node, string path, CancellationToken ct) =>
        BeginAsync(node, HttpMethod.Post, path, ct);

    /// <inheritdoc/>
    public void Dispose()
    {
        _client.Dispose();
        Invoker.Dispose();
    }

    private async Task<HttpResponseMessage> BeginAsync(
        ServerNode node,
        HttpMethod method,
        string path,
        CancellationToken ct
    )
    {
        using var request = new HttpRequestMessage(method, new Uri(node.Url, path));
        var answer = await _client
            .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, ct)
            .ConfigureAwait(false);
        try
        {
            await ThrowIfRefusedAsync(node, answer, ct).ConfigureAwait(false);
            return answer;
        }
        catch
        {
            answer.Dispose();
            throw;
        }
    }

    private static async Task ThrowIfRefusedAsync(ServerNode node, HttpResponseMessage answer, CancellationToken ct)
    {
        if (answer.IsSuccessStatusCode)
            return;
        var text = await answer.Content.ReadAsStringAsync(ct).ConfigureAwait(false);
        throw new HttpRequestException(
            AnswerError.Read(text).Text ?? $"{node.Name} answered {(int)answer.StatusCode}: {text.Trim()}",
            inner: null,
            answer.StatusCode
        );
    }

    private bool IsOfNode(X509Certificate? remote)
    {
        if (remote is not X509Certificate2 certificate)
            return false;
        var thumbprint = CertificateThumbprint.Of(certificate);
        return _nodes.Any(n => n.Equals(thumbprint));
    }
}
