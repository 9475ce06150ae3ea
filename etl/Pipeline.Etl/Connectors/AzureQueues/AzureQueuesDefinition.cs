using Pipeline.AzureStorage;
using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary><c>azureQueues:</c> in the configuration.</summary>
public sealed class AzureQueuesDefinition : ConnectorDefinition<AzureQueuesOptions>
{
    /// <inheritdoc/>
    public override string Kind => "azureQueues";

    /// <inheritdoc/>
    public override string Summary =>
        "Azure Queue Storage: a destination is a queue; a message is a CloudEvent in structured JSON of at most 64 KiB.";

    /// <inheritdoc/>
    protected override IEnumerable<(string Key, string Message)> Validate(AzureQueuesOptions options)
    {
        if (FindAccountFault(options) is { } fault)
            yield return fault;
        if (options.TimeToLive is { } kept && (kept < TimeSpan.FromSeconds(1) || kept > TimeSpan.FromDays(36_500)))
            yield return ("timeToLive", "must be between 1s and 36500d");
        if (options.VisibilityDelay < TimeSpan.Zero || options.VisibilityDelay > TimeSpan.FromDays(7))
            yield return ("visibilityDelay", "must be between 0s and 7d");
        if (
            options.VisibilityDelay > TimeSpan.Zero
            && options.VisibilityDelay >= (options.TimeToLive ?? TimeSpan.FromDays(7))
        )
        {
            yield return ("visibilityDelay", "must be less than timeToLive");
        }

        if (
            options.Oversize == AzureQueueOversize.ClaimCheck
            && AzureQueuesSink.FindNameFault(options.ClaimContainer) is { } name
        )
        {
            yield return ("claimContainer", name.Replace("a queue's", "a container's", StringComparison.Ordinal));
        }

        if (options.MaxParallel is < 1 or > 256)
            yield return ("maxParallel", $"must be between 1 and 256, not {options.MaxParallel}");
        if (options.RequestTimeout < TimeSpan.FromSeconds(1) || options.RequestTimeout > TimeSpan.FromMinutes(10))
            yield return ("requestTimeout", "must be between 1s and 10m");
    }

    /// <summary>
    /// The fault in the options that name the account, with its key; <see langword="null"/> if there is none.
    /// </summary>
    internal static (string Key, string Message)? FindAccountFault(AzureQueuesOptions options)
    {
        var needsBlobs = options.Oversize == AzureQueueOversize.ClaimCheck;
        if (options.ConnectionString is { } text)
        {
            if (AzureConnectionString.FindFault(text, AzureConnectionString.Queue) is { } words)
                return ("connectionString", words);
            return
                needsBlobs
                && (
                    AzureConnectionString.FindFault(text, AzureConnectionString.Blob) is not null
                    || AzureConnectionString.HasOnly(text, AzureConnectionString.Queue, AzureConnectionString.Blob)
                )
                ? (
                    "connectionString",
                    "has no address of the blob service, which 'oversize: claim-check' needs; add BlobEndpoint"
                )
                : null;
        }

        if (options.Endpoint is not { } queues)
        {
            return (
                "connectionString",
                "is missing, and so is 'endpoint'; give one of them: a connection string, or the address of the queue service for an identity that Azure.Identity finds"
            );
        }

        if (AzureStorageAccess.FindAddressFault(queues, AzureConnectionString.Queue) is { } endpoint)
            return ("endpoint", endpoint);
        if (options.BlobEndpoint is { } blobs)
        {
            return AzureStorageAccess.FindAddressFault(blobs, AzureConnectionString.Blob) is { } blob
                ? ("blobEndpoint", blob)
                : null;
        }

        return needsBlobs
            ? (
                "blobEndpoint",
                "is missing, which 'oversize: claim-check' needs; add it, such as https://ACCOUNT.blob.core.windows.net"
            )
            : null;
    }

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) => ["headers", "ttl", "delay"];

    /// <inheritdoc/>
    public override IEnumerable<(string Key, string Message)> ValidateDestination(DestinationConfiguration destination)
    {
        foreach (var fault in CloudEventJson.FindFaults(destination))
            yield return fault;
        if (destination.Delay > TimeSpan.FromDays(7))
            yield return ("delay", "must be at most 7d");
        else if (destination.Delay is { } delay && delay >= (destination.Ttl ?? TimeSpan.FromDays(7)))
            yield return ("delay", "must be less than ttl");
    }

    /// <inheritdoc/>
    public override string? FindNameFault(object options, string destination) =>
        AzureQueuesSink.FindNameFault(destination);

    /// <inheritdoc/>
    protected override IConnector Create(AzureQueuesOptions options, ConnectorContext context) =>
        new AzureQueuesConnector(options, context);
}
