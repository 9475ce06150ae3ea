using Pipeline.Backups.Destinations;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>One destination of a backup, by exactly one of its keys.</summary>
public sealed class BackupDestinationConfiguration
{
    /// <summary>A folder; absolute after loading.</summary>
    [Setting("A folder, relative to this file.", ConflictsWith = ["s3", "azureBlob"])]
    public string? Folder { get; internal set; }

    /// <summary>A bucket.</summary>
    [Setting("A bucket of Amazon S3 or of an S3-compatible service.", ConflictsWith = ["azureBlob"])]
    public S3DestinationConfiguration? S3 { get; init; }

    /// <summary>A container.</summary>
    [Setting("A container of Azure Blob Storage.")]
    public AzureBlobDestinationConfiguration? AzureBlob { get; init; }

    internal int Kinds => (Folder is null ? 0 : 1) + (S3 is null ? 0 : 1) + (AzureBlob is null ? 0 : 1);

    /// <summary>The destination.</summary>
    public DestinationDefinition ToDefinition() =>
        S3 is not null
            ? new S3Definition(S3.Bucket)
            {
                Prefix = S3.Prefix,
                Region = S3.Region,
                Endpoint = S3.Endpoint,
                AccessKey = S3.AccessKey,
                SecretKey = S3.SecretKey,
                StorageClass = S3.StorageClass,
            }
        : AzureBlob is not null
            ? new AzureBlobDefinition(AzureBlob.Container)
            {
                Prefix = AzureBlob.Prefix,
                ConnectionString = AzureBlob.ConnectionString,
                Endpoint = AzureBlob.Endpoint,
            }
        : new FolderDefinition(Folder!);
}
