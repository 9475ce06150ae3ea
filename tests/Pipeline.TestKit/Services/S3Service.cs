using System.Diagnostics;

namespace Pipeline.TestKit.Services;

/// <summary>s3rver, which serves S3's protocol, with a bucket <see cref="Bucket"/>.</summary>
public sealed class S3Service : TestService
{
    /// <summary>A bucket that is there.</summary>
    public const string Bucket = "backups";

    /// <summary>The only key that it knows, and the key's secret.</summary>
    public const string Key = "S3RVER";

    /// <inheritdoc/>
    public override string Name => "s3rver";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_S3";

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() => Task.FromResult<ITestBroker?>(null);

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", ".bin");
        var program = LocalInstallation.FindProgram("s3rver", modules)
            ?? throw new ServiceMissingException($"s3rver is neither in PATH nor in {modules} (.ci/install-services puts it there)");
        var folder = ServiceProcess.NewFolder("s3rver");
        var port = ServiceProcess.FreePorts();
        var broker = new ServiceProcess(
            $"http://127.0.0.1:{port}", $"s3rver of {program}", port, folder,
            () => new ProcessStartInfo(program, ["--directory", folder, "--address", "127.0.0.1", "--port", $"{port}", "--configure-bucket", Bucket, "--silent"]));
        await broker.StartAsync();
        return broker;
    }
}
