namespace Pipeline.Backups.Destinations;

/// <summary>A container of Azure Blob Storage.</summary>
/// <param name="Container">The container; made where it is missing and that is allowed.</param>
public sealed record AzureBlobDefinition(string Container) : DestinationDefinition
{
    /// <summary>What all names begin with; empty for nothing.</summary>
    public string Prefix { get; init; } = "";

    /// <summary>A connection string with an account's key or a shared access signature.</summary>
    public string? ConnectionString { get; init; }

    /// <summary>The blob service's address, <c>https://ACCOUNT.blob.core.windows.net</c>, in place of a connection string: credentials are then those of Azure.Identity (environment, workload, managed identity, tools).</summary>
    public Uri? Endpoint { get; init; }

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) => new AzureBlobDestination(this, name);

    /// <summary>Container and place; no key.</summary>
    public override string ToString() => $"azureBlob {Container}/{Prefix}";
}
