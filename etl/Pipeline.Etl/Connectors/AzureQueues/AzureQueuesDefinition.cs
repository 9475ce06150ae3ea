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
        if (!AzureStorageAccount.TryParse(options.ConnectionString, out _, out var fault)) yield return ("connectionString", fault);
        if (options.TimeToLive is { } kept && (kept < TimeSpan.FromSeconds(1) || kept > TimeSpan.FromDays(36_500))) yield return ("timeToLive", "must be between 1s and 36500d");
        if (options.VisibilityDelay < TimeSpan.Zero || options.VisibilityDelay > TimeSpan.FromDays(7)) yield return ("visibilityDelay", "must be between 0s and 7d");
        if (options.VisibilityDelay > TimeSpan.Zero && options.VisibilityDelay >= (options.TimeToLive ?? TimeSpan.FromDays(7)))
            yield return ("visibilityDelay", "must be less than timeToLive");
        if (options.Oversize == AzureQueueOversize.ClaimCheck && AzureQueuesSink.FindNameFault(options.ClaimContainer) is { } name) yield return ("claimContainer", name.Replace("a queue's", "a container's", StringComparison.Ordinal));
        if (options.MaxParallel is < 1 or > 256) yield return ("maxParallel", $"must be between 1 and 256, not {options.MaxParallel}");
        if (options.RequestTimeout < TimeSpan.FromSeconds(1) || options.RequestTimeout > TimeSpan.FromMinutes(10)) yield return ("requestTimeout", "must be between 1s and 10m");
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
}
