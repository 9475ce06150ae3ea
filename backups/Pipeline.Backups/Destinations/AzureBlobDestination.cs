using System.Globalization;
using System.Runtime.CompilerServices;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Pipeline.AzureStorage;
using Pipeline.Backups.Chunks;

namespace Pipeline.Backups.Destinations;

/// <summary>
/// Azure Blob Storage through Azure's library. A blob is complete and visible once its upload is acknowledged.
/// </summary>
internal sealed class AzureBlobDestination : IBackupDestination
{
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(100);
    private readonly BlobContainerClient _container;
    private readonly string _prefix;
    private volatile bool _isThere;

    public AzureBlobDestination(
        AzureBlobDefinition definition,
        string name,
        HttpPipelineTransport? transport = null,
        TokenCredential? credential = null
    )
    {
        var prefix = definition.Prefix.Trim('/');
        _prefix = (prefix.Length == 0 ? "" : prefix + "/") + name + "/";
        var options = AzureStorageAccess.Configure(
            new BlobClientOptions(BlobClientOptions.ServiceVersion.V2021_12_02),
            RequestTimeout,
            transport
        );
        BlobServiceClient service;
        Uri address;
        if (definition.ConnectionString is { } text)
        {
            if (AzureConnectionString.FindFault(text, AzureConnectionString.Blob) is { } fault)
                throw new BackupException($"azureBlob: the connection string {fault}.");
            service = new BlobServiceClient(text, options);
            address = service.Uri;
        }
        else
        {
            address =
                definition.Endpoint
                ?? throw new BackupException("azureBlob: a connection string or an endpoint is needed.");
            if (AzureStorageAccess.FindAddressFault(address, AzureConnectionString.Blob) is { } fault)
                throw new BackupException($"azureBlob: the endpoint {fault}.");
            service = new BlobServiceClient(
                AzureStorageAccess.WithTokens(address, options),
                credential ?? AzureStorageAccess.Find(),
                options
            );
        }
        _container = service.GetBlobContainerClient(definition.Container);
        Description =
            $"azureBlob {address.GetLeftPart(UriPartial.Path).TrimEnd('/')}/{definition.Container}/{_prefix.TrimEnd('/')}";
    }

    public string Description { get; }

    public async Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        var blob = BlobOf(name);
        if (!_isThere)
        {
            await TryAsync("making the container", MakeContainerAsync, ct).ConfigureAwait(false);
            _isThere = true;
        }
        await TryAsync(
                $"writing {name}",
                () => blob.UploadAsync(BinaryData.FromBytes(bytes), new BlobUploadOptions(), ct),
                ct
            )
            .ConfigureAwait(false);

        async Task<bool> MakeContainerAsync()
        {
            try
            {
                await _container.CreateIfNotExistsAsync(cancellationToken: ct).ConfigureAwait(false);
                return true;
            }
            catch (RequestFailedException e) when (e.Status == 403)
            {
                // Credentials that may not create a container may still write to an existing one; the write will show
                // it.
                return false;
            }
        }
    }

    public async Task<byte[]?> GetAsync(string name, CancellationToken ct)
    {
        var blob = BlobOf(name);
        return await TryAsync($"reading {name}", ReadAsync, ct).ConfigureAwait(false);

        async Task<byte[]?> ReadAsync()
        {
            try
            {
                using var result = (
                    await blob.DownloadStreamingAsync(cancellationToken: ct).ConfigureAwait(false)
                ).Value;
                var bytes = new byte[result.Details.ContentLength];
                await result.Content.ReadExactlyAsync(bytes, ct).ConfigureAwait(false);
                return bytes;
            }
            catch (RequestFailedException e) when (e.Status == 404)
            {
                return null;
            }
        }
    }

    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var pages = _container
            .GetBlobsAsync(new GetBlobsOptions { Prefix = _prefix + prefix }, ct)
            .AsPages()
            .GetAsyncEnumerator(ct);
        await using var end = pages.ConfigureAwait(false);
        while (await TryAsync($"listing {prefix}", MoveNextAsync, ct).ConfigureAwait(false))
        {
            foreach (var blob in pages.Current.Values)
            {
                yield return new StoredObject(
                    blob.Name[_prefix.Length..],
                    blob.Properties.ContentLength ?? 0,
                    blob.Properties.LastModified ?? DateTimeOffset.UnixEpoch
                );
            }
        }

        async Task<bool> MoveNextAsync()
        {
            try
            {
                return await pages.MoveNextAsync().ConfigureAwait(false);
            }
            catch (RequestFailedException e) when (e.Status == 404)
            {
                return false;
            }
        }
    }

    public Task DeleteAsync(string name, CancellationToken ct)
    {
        var blob = BlobOf(name);
        return TryAsync($"deleting {name}", () => blob.DeleteIfExistsAsync(cancellationToken: ct), ct);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private BlobClient BlobOf(string name)
    {
        ObjectNames.Check(name);
        return _container.GetBlobClient(_prefix + name);
    }

    private async Task<T> TryAsync<T>(string operation, Func<Task<T>> call, CancellationToken ct)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (RequestFailedException e) when (e.Status != 0)
        {
            var reason = string.Create(CultureInfo.InvariantCulture, $"the service answers {e.Status} {e.ErrorCode}");
            throw new DestinationException(Description, operation, reason, AzureStorageAccess.IsTransient(e.Status), e);
        }
        catch (Exception e) when (AzureStorageAccess.IsTokenFault(e))
        {
            throw new DestinationException(Description, operation, e.Message, isTransient: false, e);
        }
        catch (Exception e) when (AzureStorageAccess.IsOfNetwork(e, ct))
        {
            throw new DestinationException(Description, operation, "no answer: " + e.Message, isTransient: true, e);
        }
    }
}
