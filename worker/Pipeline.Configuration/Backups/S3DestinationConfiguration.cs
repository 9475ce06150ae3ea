using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>s3</c> of a backup's destination.</summary>
public sealed class S3DestinationConfiguration
{
    /// <summary>The bucket.</summary>
    [Setting("The bucket, which must exist.", Required = true)]
    public string Bucket { get; init; } = "";

    /// <summary>The prefix.</summary>
    [Setting("Prefix of all names in the bucket.")]
    public string Prefix { get; init; } = "";

    /// <summary>The region.</summary>
    [Setting("The region, such as eu-central-1. By default found as Amazon's tools find it.")]
    public string? Region { get; init; }

    /// <summary>The address.</summary>
    [Setting("The address of an S3-compatible service.", Example = "http://localhost:9000")]
    public Uri? Endpoint { get; init; }

    /// <summary>The key's id.</summary>
    [Setting(
        "Id of the access key. Without it credentials are found as Amazon's tools do: environment, files, the machine's role."
    )]
    public string? AccessKey { get; init; }

    /// <summary>The key.</summary>
    [Setting("The access key.", Secret = true)]
    public string? SecretKey { get; init; }

    /// <summary>The storage class.</summary>
    [Setting("The storage class of written objects, such as STANDARD_IA.")]
    public string? StorageClass { get; init; }
}
