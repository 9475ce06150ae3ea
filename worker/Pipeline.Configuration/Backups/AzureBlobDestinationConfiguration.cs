using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>azureBlob</c> of a backup's destination.</summary>
public sealed class AzureBlobDestinationConfiguration
{
    /// <summary>The container.</summary>
    [Setting("The container; created if it does not exist and the credentials allow it.", Required = true)]
    public string Container { get; init; } = "";

    /// <summary>The prefix.</summary>
    [Setting("Prefix of all names in the container.")]
    public string Prefix { get; init; } = "";

    /// <summary>The connection string.</summary>
    [Setting(
        "Connection string with an account's key or a shared access signature.",
        Secret = true,
        ConflictsWith = ["endpoint"]
    )]
    public string? ConnectionString { get; init; }

    /// <summary>The address.</summary>
    [Setting(
        "Address of the blob service, in place of a connection string; credentials are found by Azure.Identity: environment, workload or managed identity, tools.",
        Example = "https://ACCOUNT.blob.core.windows.net"
    )]
    public Uri? Endpoint { get; init; }
}
