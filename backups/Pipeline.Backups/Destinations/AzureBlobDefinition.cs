namespace Pipeline.Backups.Destinations;

/// <summary>A container of Azure Blob Storage.</summary>
/// <param name="Container">The container; created if it is missing and the credentials allow that.</param>
public sealed record AzureBlobDefinition(string Container) : DestinationDefinition
{
    /// <summary>The prefix of all names; empty for none.</summary>
    public string Prefix { get; init; } = "";

    /// <summary>A connection string with an account's key or a shared access signature.</summary>
    public string? ConnectionString { get; init; }

    /// <summary>
    /// The blob service's address, <c>https://ACCOUNT.blob.core.windows.net</c>, instead of a connection string.
    /// Azure.Identity then finds the credentials (environment, workload, managed identity, tools).
    /// </summary>
    public Uri? Endpoint { get; init; }

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) => new AzureBlobDestination(this, name);

    /// <summary>Container and prefix, without the key.</summary>
    public override string ToString() => $"azureBlob {Container}/{Prefix}";
}
