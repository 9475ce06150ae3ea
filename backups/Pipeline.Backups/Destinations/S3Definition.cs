namespace Pipeline.Backups.Destinations;

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
