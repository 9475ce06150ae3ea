using System.Diagnostics;

namespace Pipeline.TestKit.Services;

/// <summary>Azurite, which serves Azure Blob Storage's protocol.</summary>
public sealed class AzureBlobService : TestService
{
    /// <summary>The account and key that the emulator's documentation publishes.</summary>
    private const string Account =
        "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;";

    /// <inheritdoc/>
    public override string Name => "Azurite (blobs)";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_AZURE_BLOBS";

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() => Task.FromResult<ITestBroker?>(null);

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", ".bin");
        var program = LocalInstallation.FindProgram("azurite-blob", modules)
            ?? throw new ServiceMissingException($"azurite-blob is neither in PATH nor in {modules} (.ci/install-services puts it there)");
        var folder = ServiceProcess.NewFolder("azurite-blob");
        var port = ServiceProcess.FreePorts();
        var broker = new ServiceProcess(
            $"DefaultEndpointsProtocol=http;{Account}BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;", $"Azurite of {program}", port, folder,
            () => new ProcessStartInfo(program, ["--silent", "--skipApiVersionCheck", "--disableTelemetry", "--location", folder, "--blobHost", "127.0.0.1", "--blobPort", $"{port}"]));
        await broker.StartAsync();
        return broker;
    }
}
