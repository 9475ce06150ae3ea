using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;

namespace AzureFunction;

/// <summary>The blobs of an account.</summary>
internal sealed class AzureBlobs(BlobServiceClient account) : IBlobs
{
    public async Task<bool> TryCreateAsync(
        string container,
        string name,
        string content,
        CancellationToken cancellationToken
    )
    {
        var client = account.GetBlobContainerClient(container);
        await client.CreateIfNotExistsAsync(cancellationToken: cancellationToken);
        try
        {
            var once = new BlobUploadOptions { Conditions = new BlobRequestConditions { IfNoneMatch = ETag.All } };
            await client.GetBlobClient(name).UploadAsync(BinaryData.FromString(content), once, cancellationToken);
            return true;
        }
        catch (RequestFailedException e) when (e.Status is 409 or 412)
        {
            return false;
        }
    }

    public async Task<string> ReadAsync(Uri address, CancellationToken cancellationToken)
    {
        var place = new BlobUriBuilder(address);
        var blob = account.GetBlobContainerClient(place.BlobContainerName).GetBlobClient(place.BlobName);
        return (await blob.DownloadContentAsync(cancellationToken)).Value.Content.ToString();
    }
}
