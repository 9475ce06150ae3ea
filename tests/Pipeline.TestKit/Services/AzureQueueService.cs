namespace Pipeline.TestKit.Services;

/// <summary>Azurite, which serves Azure Queue Storage's protocol.</summary>
public sealed class AzureQueueService : NpmService
{
    /// <inheritdoc/>
    public override string Name => "Azurite";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_AZURE_QUEUES";

    /// <inheritdoc/>
    protected override string Program => "azurite";

    /// <inheritdoc/>
    protected override int Ports => 3;

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() => Containers.StartAzuriteAsync(ConnectionString);

    /// <inheritdoc/>
    protected override string Endpoint(int port) => ConnectionString("127.0.0.1", port);

    /// <inheritdoc/>
    protected override IReadOnlyList<string> Arguments(string folder, int port) =>
        [
            .. AzuriteAccount.Arguments,
            "--location",
            folder,
            "--queueHost",
            "127.0.0.1",
            "--queuePort",
            $"{port}",
            "--blobHost",
            "127.0.0.1",
            "--blobPort",
            $"{port + 1}",
            "--tableHost",
            "127.0.0.1",
            "--tablePort",
            $"{port + 2}",
        ];

    private static string ConnectionString(string host, int port) =>
        $"{AzuriteAccount.ConnectionString}QueueEndpoint=http://{host}:{port}/devstoreaccount1;";
}
