namespace Pipeline.Backups.Destinations;

/// <summary>A configured destination of backups.</summary>
public abstract record DestinationDefinition
{
    /// <summary>Whether it is another machine, so that parallel sending raises the throughput.</summary>
    public virtual bool IsRemote => true;

    /// <summary>Creates the destination for a backup name. Does not connect yet.</summary>
    /// <param name="name">The backup's name, which is the folder of all its objects.</param>
    /// <param name="time">The clock.</param>
    public abstract IBackupDestination Create(string name, TimeProvider time);
}

/// <summary>A folder.</summary>
/// <param name="Path">Its path.</param>
public sealed record FolderDefinition(string Path) : DestinationDefinition
{
    /// <inheritdoc/>
    public override bool IsRemote => false;

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) =>
        new FolderDestination(System.IO.Path.Combine(Path, name));
}

/// <summary>A bucket of S3 or of a compatible service.</summary>
/// <param name="Bucket">The bucket; it must exist.</param>
public sealed record S3Definition(string Bucket) : DestinationDefinition
{
    /// <summary>The prefix of all names; empty for none.</summary>
    public string Prefix { get; init; } = "";

    /// <summary>The region, such as <c>eu-central-1</c>.</summary>
    public string? Region { get; init; }

    /// <summary>The address of a service other than Amazon's; requests then have the bucket in their path.</summary>
    public Uri? Endpoint { get; init; }

    /// <summary>
    /// The access key id; null finds credentials as Amazon's tools do: environment, files, the machine's role.
    /// </summary>
    public string? AccessKey { get; init; }

    /// <summary>The secret key.</summary>
    public string? SecretKey { get; init; }

    /// <summary>The storage class, such as <c>STANDARD_IA</c>; null for the bucket's default.</summary>
    public string? StorageClass { get; init; }

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) => new S3Destination(this, name);

    /// <summary>Bucket and prefix, without the key.</summary>
    public override string ToString() =>
        $"s3 {Endpoint?.GetLeftPart(UriPartial.Authority)}{(Endpoint is null ? "" : "/")}{Bucket}/{Prefix}";
}

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
