namespace Pipeline.Backups.Destinations;

/// <summary>A bucket of S3, or of a service that speaks as S3 does.</summary>
/// <param name="Bucket">The bucket; it must be there.</param>
public sealed record S3Definition(string Bucket) : DestinationDefinition
{
    /// <summary>What all names begin with; empty for nothing.</summary>
    public string Prefix { get; init; } = "";

    /// <summary>The region, such as <c>eu-central-1</c>.</summary>
    public string? Region { get; init; }

    /// <summary>The service's address, of one that is not Amazon's; addresses then have the bucket in their path.</summary>
    public Uri? Endpoint { get; init; }

    /// <summary>The key's id; null takes credentials as Amazon's tools do: environment, files, the machine's role.</summary>
    public string? AccessKey { get; init; }

    /// <summary>The secret key.</summary>
    public string? SecretKey { get; init; }

    /// <summary>The storage class, such as <c>STANDARD_IA</c>; null for the bucket's own.</summary>
    public string? StorageClass { get; init; }

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) => new S3Destination(this, name);

    /// <summary>Bucket and place; no key.</summary>
    public override string ToString() => $"s3 {Endpoint?.GetLeftPart(UriPartial.Authority)}{(Endpoint is null ? "" : "/")}{Bucket}/{Prefix}";
}
