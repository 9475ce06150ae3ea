using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>The options of an <c>azureQueues:</c> connection.</summary>
public sealed class AzureQueuesOptions
{
    /// <summary>The account's address and credentials.</summary>
    [Setting(
        "The storage account's connection string, with an account key or a shared access signature; UseDevelopmentStorage=true for Azurite. This or 'endpoint' is needed.",
        Secret = true,
        ConflictsWith = ["endpoint", "blobEndpoint", "clientId"]
    )]
    public string? ConnectionString { get; init; }

    /// <summary>The queue service, where an identity is used.</summary>
    [Setting(
        "Address of the queue service, in place of a connection string; credentials are found by Azure.Identity: environment, workload or managed identity, tools. Its role: Storage Queue Data Contributor, or, with 'create: false', Storage Queue Data Message Sender.",
        Example = "https://ACCOUNT.queue.core.windows.net",
        ConflictsWith = ["connectionString"]
    )]
    public Uri? Endpoint { get; init; }

    /// <summary>The blob service, where an identity is used.</summary>
    [Setting(
        "Address of the blob service that goes with 'endpoint', for 'oversize: claim-check'. The identity's role: Storage Blob Data Contributor.",
        Example = "https://ACCOUNT.blob.core.windows.net",
        ConflictsWith = ["connectionString"]
    )]
    public Uri? BlobEndpoint { get; init; }

    /// <summary>Which identity.</summary>
    [Setting(
        "Client id of the user-assigned managed identity to use with 'endpoint'; default: the one named in the environment, or the system-assigned one.",
        ConflictsWith = ["connectionString"]
    )]
    public string? ClientId { get; init; }

    /// <summary>How the text of a message is written.</summary>
    [Setting("How the text of a message is encoded: base64, which Azure Functions expect, or none; default base64.")]
    public AzureQueueEncoding Encoding { get; init; }

    /// <summary>Whether missing queues are created.</summary>
    [Setting("Whether queues that do not exist are created; default true.")]
    public bool Create { get; init; } = true;

    /// <summary>How long a message is kept.</summary>
    [Setting("How long an unread message is kept; default: the service's own 7 days. At most 36500d.")]
    public TimeSpan? TimeToLive { get; init; }

    /// <summary>How long a new message stays hidden.</summary>
    [Setting("How long a new message stays hidden from readers, at most 7d; default 0s.")]
    public TimeSpan VisibilityDelay { get; init; }

    /// <summary>What happens to a message that is too large.</summary>
    [Setting(
        "What happens to a message over 64 KiB. park: the task's 'onError' decides (a dead letter). claim-check: its body goes into a blob, and the message carries the blob's address as 'dataref'. fail: the task sends everything before it, is then 'failed', and retries after each 'retry.failedDelay' until the document or configuration is corrected. If 'retry.attempts.permanent' is set and used up, 'onError' decides about this message alone."
    )]
    public AzureQueueOversize Oversize { get; init; }

    /// <summary>Where large bodies go.</summary>
    [Setting(
        "With 'oversize: claim-check': the blob container for bodies; created if it does not exist. Blobs are not deleted, so give the container a lifecycle rule."
    )]
    public string ClaimContainer { get; init; } = "pipeline-messages";

    /// <summary>How many requests may be in flight.</summary>
    [Setting(
        "How many messages of one task are sent at the same time; default 16. Messages of one key go one after another."
    )]
    public int MaxParallel { get; init; } = 16;

    /// <summary>How long one request may take.</summary>
    [Setting("How long one request may take before it is retried; default 30s.")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(30);
}

/// <summary>How the text of a message is written.</summary>
public enum AzureQueueEncoding
{
    /// <summary>UTF-8 JSON as Base64.</summary>
    Base64,

    /// <summary>Plain JSON.</summary>
    None,
}
