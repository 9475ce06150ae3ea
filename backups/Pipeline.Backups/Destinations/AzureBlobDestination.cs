using System.Globalization;
using System.Runtime.CompilerServices;
using System.Xml.Linq;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Pipeline.Backups.Destinations;

/// <summary>Azure Blob Storage by its REST API, on Azure.Core's pipeline. A blob is there, whole, when its upload was acknowledged.</summary>
internal sealed class AzureBlobDestination : IBackupDestination
{
    private const string ApiVersion = "2021-12-02";
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(100);
    private readonly string _blobs;
    private readonly string? _signature;
    private readonly string _container;
    private readonly string _prefix;
    private readonly HttpPipeline _pipeline;
    private volatile bool _isThere;

    public AzureBlobDestination(AzureBlobDefinition definition, string name, TimeProvider time, HttpPipelineTransport? transport = null)
    {
        var prefix = definition.Prefix.Trim('/');
        (_container, _prefix) = (definition.Container, (prefix.Length == 0 ? "" : prefix + "/") + name + "/");
        HttpPipelinePolicy[] each;
        if (definition.ConnectionString is { } text)
        {
            if (!AzureStorageAccount.TryParse(text, out var account, out var fault, AzureStorageAccount.BlobService))
                throw new BackupException($"azureBlob: the connection string {fault}.");
            (_blobs, _signature) = (account.Blobs!, account.Signature);
            each = account.Key is { } key ? [new SharedKeyPolicy(account.Name, key, time)] : [];
        }
        else
        {
            _blobs = (definition.Endpoint ?? throw new BackupException("azureBlob: a connection string or an endpoint is needed.")).AbsoluteUri.TrimEnd('/');
            each = AzureStorageIdentity.PoliciesOf(AzureStorageIdentity.Find());
        }
        Description = $"azureBlob {_blobs}/{_container}/{_prefix.TrimEnd('/')}";
        var settings = new ClientSettings();
        settings.Retry.MaxRetries = 2;
        settings.Retry.NetworkTimeout = Patience;
        settings.Diagnostics.IsTelemetryEnabled = false;
        settings.Diagnostics.ApplicationId = "pipeline";
        if (transport is not null)
            settings.Transport = transport;
        _pipeline = HttpPipelineBuilder.Build(settings, each);
    }

    public string Description { get; }

    public async Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        await MakeContainerAsync(ct).ConfigureAwait(false);
        var (status, fault, _) = await SendAsync(RequestMethod.Put, PathOf(name), "", bytes, $"writing {name}", ct).ConfigureAwait(false);
        if (status != 201)
            throw Fault($"writing {name}", status, fault);
    }

    public async Task<byte[]?> GetAsync(string name, CancellationToken ct)
    {
        var (status, fault, content) = await SendAsync(RequestMethod.Get, PathOf(name), "", null, $"reading {name}", ct).ConfigureAwait(false);
        return status switch
        {
            200 => content,
            404 => null,
            _ => throw Fault($"reading {name}", status, fault),
        };
    }

    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var marker = "";
        do
        {
            var query = $"restype=container&comp=list&prefix={Uri.EscapeDataString(_prefix + prefix)}{(marker.Length == 0 ? "" : "&marker=" + Uri.EscapeDataString(marker))}";
            var (status, fault, content) = await SendAsync(RequestMethod.Get, "/" + _container, query, null, $"listing {prefix}", ct).ConfigureAwait(false);
            if (status == 404)
                yield break;
            if (status != 200)
                throw Fault($"listing {prefix}", status, fault);
            using var stream = new MemoryStream(content);
            var page = await XDocument.LoadAsync(stream, LoadOptions.None, ct).ConfigureAwait(false);
            foreach (var blob in page.Descendants("Blob"))
            {
                var properties = blob.Element("Properties");
                yield return new StoredObject(
                    blob.Element("Name")!.Value[_prefix.Length..], long.Parse(properties?.Element("Content-Length")?.Value ?? "0", CultureInfo.InvariantCulture),
                    DateTimeOffset.Parse(properties?.Element("Last-Modified")?.Value ?? "Thu, 01 Jan 1970 00:00:00 GMT", CultureInfo.InvariantCulture));
            }
            marker = page.Root?.Element("NextMarker")?.Value ?? "";
        }
        while (marker.Length > 0);
    }

    public async Task DeleteAsync(string name, CancellationToken ct)
    {
        var (status, fault, _) = await SendAsync(RequestMethod.Delete, PathOf(name), "", null, $"deleting {name}", ct).ConfigureAwait(false);
        if (status is not (202 or 404))
            throw Fault($"deleting {name}", status, fault);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task MakeContainerAsync(CancellationToken ct)
    {
        if (_isThere)
            return;
        var (status, fault, _) = await SendAsync(RequestMethod.Put, "/" + _container, "restype=container", null, "making the container", ct).ConfigureAwait(false);
        // Whoever may not make one may still write to one that is there; writing tells.
        if (status is not (201 or 409 or 403))
            throw Fault("making the container", status, fault);
        _isThere = true;
    }

    private string PathOf(string name)
    {
        ObjectNames.Check(name);
        return $"/{_container}/{_prefix}{name}";
    }

    private async Task<(int Status, string Fault, byte[] Content)> SendAsync(RequestMethod method, string path, string query, ReadOnlyMemory<byte>? body, string operation, CancellationToken ct)
    {
        using var message = _pipeline.CreateMessage();
        message.BufferResponse = true;
        var request = message.Request;
        request.Method = method;
        var parameters = string.Join('&', new[] { query, _signature }.Where(p => !string.IsNullOrEmpty(p)));
        request.Uri.Reset(new Uri(_blobs + path + (parameters.Length > 0 ? "?" + parameters : "")));
        request.Headers.SetValue("x-ms-version", ApiVersion);
        if (body is { } content)
        {
            request.Headers.SetValue("x-ms-blob-type", "BlockBlob");
            request.Headers.SetValue("Content-Type", "application/octet-stream");
            request.Content = RequestContent.Create(content);
        }
        try
        {
            await _pipeline.SendAsync(message, ct).ConfigureAwait(false);
            var response = message.Response;
            var bytes = response.ContentStream is null ? [] : response.Content.ToArray();
            return (response.Status, response.Status < 300 ? "" : response.Headers.TryGetValue("x-ms-error-code", out var code) ? code : response.ReasonPhrase, bytes);
        }
        catch (Exception e) when (e is RequestFailedException or IOException or HttpRequestException or AggregateException || (e is OperationCanceledException && !ct.IsCancellationRequested))
        {
            throw new DestinationException(Description, operation, "no answer: " + (e is AggregateException { InnerExceptions: [.., var last] } ? last : e).Message, isTransient: true, e);
        }
        catch (Exception e) when (AzureStorageIdentity.IsFault(e))
        {
            throw new DestinationException(Description, operation, e.Message, isTransient: false, e);
        }
    }

    private DestinationException Fault(string operation, int status, string code) =>
        new(Description, operation, string.Create(CultureInfo.InvariantCulture, $"the service answers {status} {code}"), status is 408 or 429 or >= 500);

    private sealed class ClientSettings : ClientOptions;
}
