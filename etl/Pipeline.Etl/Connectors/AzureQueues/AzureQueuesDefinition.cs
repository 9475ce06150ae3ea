using Pipeline.Backups.Destinations;
using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary><c>azureQueues:</c> in the configuration.</summary>
public sealed class AzureQueuesDefinition : ConnectorDefinition<AzureQueuesOptions>
{
    /// <inheritdoc/>
    public override string Kind => "azureQueues";

    /// <inheritdoc/>
    public override string Summary => "Azure Queue Storage: a destination is a queue; a message is a CloudEvent in structured JSON of at most 64 KiB.";

    /// <inheritdoc/>
    protected override IEnumerable<(string Key, string Message)> Validate(AzureQueuesOptions options)
    {
        if (FindAccount(options, out var fault) is { } account)
        {
            if (options.Oversize == AzureQueueOversize.ClaimCheck && account.Blobs is null)
                yield return options.Endpoint is null
                    ? ("connectionString", "has no address of the blob service, which 'oversize: claim-check' needs; add BlobEndpoint")
                    : ("blobEndpoint", "is missing, which 'oversize: claim-check' needs; add it, such as https://ACCOUNT.blob.core.windows.net");
        }
        else
        {
            yield return fault;
        }

        if (options.TimeToLive is { } kept && (kept < TimeSpan.FromSeconds(1) || kept > TimeSpan.FromDays(36_500))) yield return ("timeToLive", "must be between 1s and 36500d");
        if (options.VisibilityDelay < TimeSpan.Zero || options.VisibilityDelay > TimeSpan.FromDays(7)) yield return ("visibilityDelay", "must be between 0s and 7d");
        if (options.VisibilityDelay > TimeSpan.Zero && options.VisibilityDelay >= (options.TimeToLive ?? TimeSpan.FromDays(7)))
            yield return ("visibilityDelay", "must be less than timeToLive");
        if (options.Oversize == AzureQueueOversize.ClaimCheck && AzureQueuesSink.FindNameFault(options.ClaimContainer) is { } name) yield return ("claimContainer", name.Replace("a queue's", "a container's", StringComparison.Ordinal));
        if (options.MaxParallel is < 1 or > 256) yield return ("maxParallel", $"must be between 1 and 256, not {options.MaxParallel}");
        if (options.RequestTimeout < TimeSpan.FromSeconds(1) || options.RequestTimeout > TimeSpan.FromMinutes(10)) yield return ("requestTimeout", "must be between 1s and 10m");
    }

    /// <summary>The account that the options name; <see langword="null"/>, and why, where they have a fault.</summary>
    internal static AzureStorageAccount? FindAccount(AzureQueuesOptions options, out (string Key, string Message) fault)
    {
        fault = default;
        if (options.ConnectionString is { } text)
        {
            if (AzureStorageAccount.TryParse(text, out var account, out var words)) return account;
            fault = ("connectionString", words);
            return null;
        }

        if (options.Endpoint is not { } queues)
        {
            fault = ("connectionString", "is missing, and so is 'endpoint'; give one of them: a connection string, or the address of the queue service for an identity that Azure.Identity finds");
            return null;
        }

        foreach (var (key, address) in new[] { ("endpoint", queues), ("blobEndpoint", options.BlobEndpoint) })
        {
            if (address is null || FindAddressFault(address) is not { } words) continue;
            fault = (key, words);
            return null;
        }

        return new AzureStorageAccount(queues.Host.Split('.')[0], null, null, queues.AbsoluteUri.TrimEnd('/'), options.BlobEndpoint?.AbsoluteUri.TrimEnd('/'));
    }

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) => ["headers", "ttl", "delay"];

    /// <inheritdoc/>
    public override IEnumerable<(string Key, string Message)> ValidateDestination(DestinationConfiguration destination)
    {
        foreach (var fault in CloudEventJson.FindFaults(destination)) yield return fault;
        if (destination.Delay > TimeSpan.FromDays(7)) yield return ("delay", "must be at most 7d");
        else if (destination.Delay is { } delay && delay >= (destination.Ttl ?? TimeSpan.FromDays(7))) yield return ("delay", "must be less than ttl");
    }

    /// <inheritdoc/>
    protected override IConnector Create(AzureQueuesOptions options, ConnectorContext context) => new AzureQueuesConnector(options, context);

    private static string? FindAddressFault(Uri address) =>
        !address.IsAbsoluteUri || address.Scheme is not ("https" or "http") ? "must be an https address, such as https://ACCOUNT.queue.core.windows.net"
        : address.Scheme == Uri.UriSchemeHttp && !address.IsLoopback ? "must begin with https://: whoever reads a token on its way can use it; http:// is for this machine only"
        : address.Query.Length > 0 || address.Fragment.Length > 0 || address.UserInfo.Length > 0 ? "must be an address alone; a shared access signature belongs in 'connectionString'"
        : null;
}
