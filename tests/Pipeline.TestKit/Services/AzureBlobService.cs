namespace Pipeline.TestKit.Services;

/// <summary>Azurite, which serves Azure Blob Storage's protocol.</summary>
public sealed class AzureBlobService : NpmService
{
    /// <inheritdoc/>
    public override string Name => "Azurite (blobs)";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_AZURE_BLOBS";

    /// <inheritdoc/>
    protected override string Program => "azurite-blob";

    /// <inheritdoc/>
    protected override string Endpoint(int port) =>
        $"{AzuriteAccount.ConnectionString}BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;";

    /// <inheritdoc/>
    protected override IReadOnlyList<string> Arguments(string folder, int port) =>
        [.. AzuriteAccount.Arguments, "--location", folder, "--blobHost", "127.0.0.1", "--blobPort", $"{port}"];
}
