using System.Diagnostics;

namespace Pipeline.TestKit.Services;

/// <summary>Azurite, which serves Azure Queue Storage's protocol.</summary>
public sealed class AzureQueueService : TestService
{
    /// <summary>The account and key that the emulator's documentation publishes.</summary>
    private const string Account =
        "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;";

    /// <inheritdoc/>
    public override string Name => "Azurite";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_AZURE_QUEUES";

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() => Containers.StartAzuriteAsync(ConnectionString);

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", ".bin");
        var program = LocalInstallation.FindProgram("azurite", modules)
            ?? throw new ServiceMissingException($"azurite is neither in PATH nor in {modules} (.ci/install-services puts it there)");
        var folder = ServiceProcess.NewFolder("azurite");
        var port = ServiceProcess.FreePorts(3);
        var broker = new ServiceProcess(
            ConnectionString("127.0.0.1", port), $"Azurite of {program}", port, folder,
            () => new ProcessStartInfo(program,
            [
                "--silent", "--skipApiVersionCheck", "--disableTelemetry", "--location", folder, "--queueHost", "127.0.0.1", "--queuePort", $"{port}",
                "--blobHost", "127.0.0.1", "--blobPort", $"{port + 1}", "--tableHost", "127.0.0.1", "--tablePort", $"{port + 2}",
            ]));
        await broker.StartAsync();
        return broker;
    }

    private static string ConnectionString(string host, int port) =>
        $"DefaultEndpointsProtocol=http;{Account}QueueEndpoint=http://{host}:{port}/devstoreaccount1;";
}
