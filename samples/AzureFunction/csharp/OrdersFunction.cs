#if FUNCTIONS
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Microsoft.Azure.Functions.Worker;
using Microsoft.Extensions.Logging;

namespace AzureFunction;

/// <summary>Handles each order once: the result is a blob named after the event's source and id, made only where it is not there.</summary>
public sealed class OrdersFunction(ILogger<OrdersFunction> logger)
{
    /// <summary>Called by the host for each message; what it throws makes the host try again, and in the end move the message to <c>orders-poison</c>.</summary>
    [Function("orders")]
    public async Task RunAsync([QueueTrigger("orders")] string message, CancellationToken cancellationToken)
    {
        var blobs = new BlobServiceClient(Environment.GetEnvironmentVariable("AzureWebJobsStorage"));
        using JsonDocument document = JsonDocument.Parse(message);
        JsonElement cloudEvent = document.RootElement;
        string id = cloudEvent.GetProperty("id").GetString()!;
        JsonElement order = cloudEvent.TryGetProperty("dataref", out JsonElement address)
            ? await FetchAsync(new Uri(address.GetString()!), blobs, cancellationToken)
            : cloudEvent.GetProperty("data");
        string name = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(cloudEvent.GetProperty("source").GetString() + "\n" + id)))[..40];
        BlobContainerClient container = blobs.GetBlobContainerClient("handled");
        await container.CreateIfNotExistsAsync(cancellationToken: cancellationToken);
        try
        {
            var result = BinaryData.FromString(JsonSerializer.Serialize(new { id, order = order.GetProperty("Id").GetString(), lines = order.GetProperty("Lines").GetInt32() }));
            var once = new BlobUploadOptions { Conditions = new BlobRequestConditions { IfNoneMatch = ETag.All } };
            await container.GetBlobClient(name).UploadAsync(result, once, cancellationToken);
            logger.LogInformation("{Order} is handled", order.GetProperty("Id").GetString());
        }
        catch (RequestFailedException e) when (e.Status is 409 or 412)
        {
            logger.LogInformation("{Id} came again and is left out", id);
        }
    }

    private static async Task<JsonElement> FetchAsync(Uri address, BlobServiceClient blobs, CancellationToken cancellationToken)
    {
        var place = new BlobUriBuilder(address);
        BlobClient blob = blobs.GetBlobContainerClient(place.BlobContainerName).GetBlobClient(place.BlobName);
        return JsonSerializer.Deserialize<JsonElement>((await blob.DownloadContentAsync(cancellationToken)).Value.Content);
    }
}
#endif
